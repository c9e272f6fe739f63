/* driver - a store in memory, which may fail: see driver.h */
#include "store/testing/driver.h"

#include "system/monotonic.h"
#include "text/ascii.h"
#include "text/memory.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024

struct memory_list {
    struct memory_list *next;
    uint64_t last;
    size_t length;
    char id[STORE_LIST_MAX];
};

struct memory_post {
    struct memory_post *next; /* later ones come first */
    struct memory_list *list;
    uint64_t number;
    int64_t first_seen;
    unsigned char key[POST_KEY_OCTETS];
    unsigned char fingerprint[POST_FINGERPRINT_OCTETS];
    unsigned char first_fingerprint[POST_FINGERPRINT_OCTETS];
};

struct memory {
    pthread_mutex_t mutex;
    bool fails;
    unsigned delay; /* before it does, in milliseconds */
    struct memory_list *lists;
    struct memory_post *posts[BUCKETS];
};

struct driver_connection {
    struct memory *memory;
};

static void *memory_store_new(const char *rest)
{
    struct memory *m = memory_new(1, sizeof *m);
    (void)rest;
    pthread_mutex_init(&m->mutex, NULL);
    return m;
}

static const char slow[] = "slow=";

static const char *url_fault(struct span rest, char *room, size_t size)
{
    size_t digits = strlen(slow);
    (void)room, (void)size;
    if (rest.n == 0)
        return NULL;
    while (digits < rest.n && ascii_is_digit(rest.p[digits]))
        digits++;
    return span_starts_nocase(rest, span_cstr(slow)) && digits == rest.n && rest.n > strlen(slow)
               ? NULL
               : "has an option other than slow=MS";
}

static void *failing_new(const char *rest)
{
    struct memory *m = memory_store_new(rest);
    m->fails = true;
    m->delay = *rest != '\0' ? (unsigned)strtoul(rest + strlen(slow), NULL, 10) : 0;
    return m;
}

static void memory_free(void *shared)
{
    struct memory *m = shared;
    while (m->lists != NULL) {
        struct memory_list *l = m->lists;
        m->lists = l->next;
        free(l);
    }
    for (size_t i = 0; i < BUCKETS; i++) {
        while (m->posts[i] != NULL) {
            struct memory_post *p = m->posts[i];
            m->posts[i] = p->next;
            free(p);
        }
    }
    pthread_mutex_destroy(&m->mutex);
    free(m);
}

static struct driver_connection *connection_new(const char *rest, void *shared)
{
    struct driver_connection *c = memory_new(1, sizeof *c);
    (void)rest;
    c->memory = shared;
    return c;
}

static void connection_free(struct driver_connection *c)
{
    free(c);
}

/* Locks the mutex. 0; -1: it is to fail, and nothing is locked. */
static int enter(struct memory *m, struct store_error *error)
{
    if (m->fails) {
        monotonic_sleep(m->delay);
        return store_fail(error, "failing: as asked");
    }
    pthread_mutex_lock(&m->mutex);
    return 0;
}

static int open_memory(struct driver_connection *c, struct store_error *error)
{
    if (enter(c->memory, error) != 0)
        return -1;
    pthread_mutex_unlock(&c->memory->mutex);
    return 0;
}

static struct memory_list *find_list(struct memory *m, struct span id)
{
    for (struct memory_list *l = m->lists; l != NULL; l = l->next)
        if (l->length == id.n && memcmp(l->id, id.p, id.n) == 0)
            return l;
    return NULL;
}

static struct memory_list *add_list(struct memory *m, struct span id)
{
    struct memory_list *l = find_list(m, id);
    if (l != NULL)
        return l;
    l = memory_new(1, sizeof *l);
    memcpy(l->id, id.p, id.n);
    l->length = id.n;
    l->next = m->lists;
    m->lists = l;
    return l;
}

static struct memory_post **bucket_of(struct memory *m, const struct store_post *post)
{
    return &m->posts[(post->key[0] << 8 | post->key[1]) % BUCKETS];
}

/* The post itself, and any one with its key: all know the first one. */
static struct memory_post *find_post(struct memory *m, const struct memory_list *list,
                                     const struct store_post *post, struct memory_post **any)
{
    *any = NULL;
    for (struct memory_post *p = *bucket_of(m, post); p != NULL; p = p->next) {
        if (p->list != list || memcmp(p->key, post->key, sizeof p->key) != 0)
            continue;
        *any = p;
        if (memcmp(p->fingerprint, post->fingerprint, sizeof p->fingerprint) == 0)
            return p;
    }
    return NULL;
}

static struct memory_post *add_post(struct memory *m, struct memory_list *list,
                                    const struct store_post *post, const struct memory_post *any,
                                    int64_t now)
{
    struct memory_post *p = memory_new(1, sizeof *p);
    p->list = list;
    p->first_seen = now;
    memcpy(p->key, post->key, sizeof p->key);
    memcpy(p->fingerprint, post->fingerprint, sizeof p->fingerprint);
    memcpy(p->first_fingerprint, any != NULL ? any->first_fingerprint : post->fingerprint,
           sizeof p->first_fingerprint);
    p->next = *bucket_of(m, post);
    *bucket_of(m, post) = p;
    return p;
}

/* first: the post itself, or any one with its key; NULL: there is none. */
static void answer(struct store_item *item, const struct memory_post *first)
{
    struct store_answer *answer = &item->answer;
    memset(answer, 0, sizeof *answer);
    memcpy(answer->first_fingerprint,
           first != NULL ? first->first_fingerprint : item->post.fingerprint,
           POST_FINGERPRINT_OCTETS);
    answer->reused =
        memcmp(answer->first_fingerprint, item->post.fingerprint, POST_FINGERPRINT_OCTETS) != 0;
}

static void assign_one(struct memory *m, struct store_item *item, int64_t now)
{
    struct memory_list *list = add_list(m, item->post.list);
    struct memory_post *any;
    struct memory_post *p = find_post(m, list, &item->post, &any);
    if (item->post.numbered && (p == NULL || p->number == 0) && list->last >= POST_NUMBER_MAX) {
        store_fail_used_up(&item->refused, item->post.list);
        return;
    }
    if (p == NULL)
        p = add_post(m, list, &item->post, any, now);
    if (item->post.numbered && p->number == 0)
        p->number = ++list->last;
    answer(item, p);
    item->answer.number = p->number;
}

static int assign(struct driver_connection *c, struct store_item **items, size_t count, int64_t now,
                  struct store_error *error)
{
    if (enter(c->memory, error) != 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        assign_one(c->memory, items[i], now);
    pthread_mutex_unlock(&c->memory->mutex);
    return 0;
}

static int look_up(struct driver_connection *c, struct store_item *item, struct store_error *error)
{
    struct memory *m = c->memory;
    struct memory_post *any = NULL;
    struct memory_post *p = NULL;
    struct memory_list *list;
    if (enter(m, error) != 0)
        return -1;
    list = find_list(m, item->post.list);
    if (list != NULL)
        p = find_post(m, list, &item->post, &any);
    answer(item, p != NULL ? p : any);
    item->answer.is_new = p == NULL || (item->post.numbered && p->number == 0);
    item->answer.number = p != NULL ? p->number : 0;
    if (item->post.numbered && item->answer.number == 0)
        item->answer.number = list != NULL ? list->last + 1 : 1;
    pthread_mutex_unlock(&m->mutex);
    return 0;
}

static int counter(struct driver_connection *c, struct span list, uint64_t *last,
                   struct store_error *error)
{
    struct memory_list *l;
    if (enter(c->memory, error) != 0)
        return -1;
    l = find_list(c->memory, list);
    *last = l != NULL ? l->last : 0;
    pthread_mutex_unlock(&c->memory->mutex);
    return 0;
}

static int set_counter(struct driver_connection *c, struct span list, uint64_t last, uint64_t *now,
                       struct store_error *error)
{
    struct memory_list *l;
    int result = 0;
    if (enter(c->memory, error) != 0)
        return -1;
    l = add_list(c->memory, list);
    if (l->last > last)
        result = 1;
    else
        l->last = last;
    *now = l->last;
    pthread_mutex_unlock(&c->memory->mutex);
    return result;
}

static int prune(struct driver_connection *c, struct span list, int64_t older_than, uint64_t *count,
                 struct store_error *error)
{
    struct memory_list *only;
    *count = 0;
    if (enter(c->memory, error) != 0)
        return -1;
    only = find_list(c->memory, list);
    for (size_t i = 0; i < BUCKETS && (list.n == 0 || only != NULL); i++) {
        struct memory_post **at = &c->memory->posts[i];
        while (*at != NULL) {
            struct memory_post *p = *at;
            if (p->first_seen < older_than && (list.n == 0 || p->list == only)) {
                *at = p->next;
                free(p);
                (*count)++;
            } else {
                at = &p->next;
            }
        }
    }
    pthread_mutex_unlock(&c->memory->mutex);
    return 0;
}

const struct store_driver store_memory = {
    .connections = 2,
    .connection_new = connection_new,
    .connection_free = connection_free,
    .shared_new = memory_store_new,
    .shared_free = memory_free,
    .open = open_memory,
    .assign = assign,
    .look_up = look_up,
    .counter = counter,
    .set_counter = set_counter,
    .prune = prune,
};

const struct store_driver store_failing = {
    .connections = 1,
    .url_fault = url_fault,
    .connection_new = connection_new,
    .connection_free = connection_free,
    .shared_new = failing_new,
    .shared_free = memory_free,
    .open = open_memory,
    .assign = assign,
    .look_up = look_up,
    .counter = counter,
    .set_counter = set_counter,
    .prune = prune,
};
