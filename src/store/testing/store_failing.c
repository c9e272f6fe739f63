/*
 * store_failing - a store that fails as it is asked to, for tests
 *
 *   "failing:" [ option *( "," option ) ]
 *   option = "after=" N      ; from the Nth transaction that assigns on; before it is as "memory:"
 *          / "slow=" MS      ; waits before it fails
 */
#include "store/driver.h"

#include "system/monotonic.h"
#include "text/ascii.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define OPTION_MAX 1000000

struct failing {
    pthread_mutex_t mutex;
    unsigned long successes; /* that are left */
    unsigned long slow;
    void *memory;
};

struct driver_connection {
    struct failing *failing;
    struct driver_connection *memory;
};

/* Reads one option; *value: what it sets. false: it is none. */
static bool read_option(struct span option, struct span name, unsigned long *value)
{
    unsigned long n = 0;

    if (!span_starts_nocase(option, name) || option.n == name.n)
        return false;
    for (size_t i = name.n; i < option.n; i++) {
        if (!ascii_is_digit(option.p[i]) || n > OPTION_MAX)
            return false;
        n = n * 10 + (unsigned long)(option.p[i] - '0');
    }
    *value = n;
    return true;
}

/* NULL or what is wrong. */
static const char *read_options(struct span rest, unsigned long *after, unsigned long *slow)
{
    while (rest.n > 0) {
        size_t end = span_find(rest, ',');
        struct span option = span_sub(rest, 0, end);
        if (!read_option(option, span_cstr("after="), after) &&
            !read_option(option, span_cstr("slow="), slow))
            return "has an option other than after=N and slow=MS";
        rest = span_sub(rest, end + 1, rest.n);
    }
    return NULL;
}

static const char *url_fault(struct span rest, char *room, size_t size)
{
    unsigned long ignored;

    (void)room, (void)size;
    return read_options(rest, &ignored, &ignored);
}

static void *failing_new(const char *rest)
{
    struct failing *f = calloc(1, sizeof *f);

    if (f == NULL)
        return NULL;
    read_options(span_cstr(rest), &f->successes, &f->slow);
    if (f->successes > 0)
        f->successes--;
    f->memory = store_memory.shared_new(rest);
    if (f->memory == NULL || pthread_mutex_init(&f->mutex, NULL) != 0) {
        if (f->memory != NULL)
            store_memory.shared_free(f->memory);
        free(f);
        return NULL;
    }
    return f;
}

static void failing_free(void *shared)
{
    struct failing *f = shared;

    store_memory.shared_free(f->memory);
    pthread_mutex_destroy(&f->mutex);
    free(f);
}

static struct driver_connection *connection_new(const char *rest, void *shared)
{
    struct driver_connection *c = calloc(1, sizeof *c);

    if (c == NULL)
        return NULL;
    c->failing = shared;
    c->memory = store_memory.connection_new(rest, c->failing->memory);
    if (c->memory == NULL) {
        free(c);
        return NULL;
    }
    return c;
}

static void connection_free(struct driver_connection *c)
{
    store_memory.connection_free(c->memory);
    free(c);
}

/* Is this one to succeed? */
static bool is_alive(struct failing *f, bool uses_one)
{
    bool alive;

    pthread_mutex_lock(&f->mutex);
    alive = f->successes > 0;
    if (alive && uses_one)
        f->successes--;
    pthread_mutex_unlock(&f->mutex);
    return alive;
}

static int fail(struct driver_connection *c, struct store_error *error)
{
    monotonic_sleep((unsigned)c->failing->slow);
    return store_fail(error, "failing: as asked");
}

static int open_failing(struct driver_connection *c, struct store_error *error)
{
    return is_alive(c->failing, false) ? 0 : fail(c, error);
}

static int assign(struct driver_connection *c, struct store_item **items, size_t count, int64_t now,
                  struct store_error *error)
{
    if (!is_alive(c->failing, true))
        return fail(c, error);
    return store_memory.assign(c->memory, items, count, now, error);
}

static int look_up(struct driver_connection *c, struct store_item *item, struct store_error *error)
{
    if (!is_alive(c->failing, false))
        return fail(c, error);
    return store_memory.look_up(c->memory, item, error);
}

static int counter(struct driver_connection *c, struct span list, uint64_t *last,
                   struct store_error *error)
{
    if (!is_alive(c->failing, false))
        return fail(c, error);
    return store_memory.counter(c->memory, list, last, error);
}

static int set_counter(struct driver_connection *c, struct span list, uint64_t last, uint64_t *now,
                       struct store_error *error)
{
    if (!is_alive(c->failing, false))
        return fail(c, error);
    return store_memory.set_counter(c->memory, list, last, now, error);
}

static int prune(struct driver_connection *c, struct span list, int64_t older_than, uint64_t *count,
                 struct store_error *error)
{
    if (!is_alive(c->failing, false))
        return fail(c, error);
    return store_memory.prune(c->memory, list, older_than, count, error);
}

const struct store_driver store_failing = {
    .connections = 1,
    .url_fault = url_fault,
    .connection_new = connection_new,
    .connection_free = connection_free,
    .shared_new = failing_new,
    .shared_free = failing_free,
    .open = open_failing,
    .assign = assign,
    .look_up = look_up,
    .counter = counter,
    .set_counter = set_counter,
    .prune = prune,
};
