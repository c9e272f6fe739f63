/* snapshot - see snapshot.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/snapshot.h"

#include "config/store_kinds.h"
#include "daemon/log.h"
#include "daemon/metrics.h"
#include "store/url.h"
#include "system/monotonic.h"
#include "system/patience.h"
#include "text/memory.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#define OLD_MAX 8

/* A store that snapshots with one URL share. */
struct shared {
    struct store *store;
    char *url;
    bool read_only; /* dry_run */
    unsigned uses;
};

struct held {
    struct snapshot shown; /* first: a hold is a pointer to it */
    struct settings *settings;
    struct shared *shared; /* NULL: no store */
    size_t uses;           /* by messages, and one while it is in force */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct held *in_force;
static size_t alive; /* snapshots */
static size_t holds;
static bool stopped;

/* With the mutex held, except where no other thread knows the store. */
static struct shared *share(const struct settings *settings)
{
    struct shared *shared = in_force != NULL ? in_force->shared : NULL;
    struct store_error error;
    struct store *store;
    if (!settings->needs_store)
        return NULL;
    if (shared != NULL && shared->read_only == settings->dry_run &&
        strcmp(shared->url, settings->store) == 0) {
        shared->uses++;
        return shared;
    }
    store = store_of_url(settings->store, settings->dry_run, &error);
    if (store == NULL) {
        snapshot_log_store(settings, "error", LOG_ERR, error.text);
        return NULL;
    }
    shared = memory_new(1, sizeof *shared);
    *shared = (struct shared){store, memory_copy(settings->store), settings->dry_run, 1};
    return shared;
}

/* Frees a snapshot that nobody holds, and its store with the last one. */
static void free_held(struct held *held, bool with_store)
{
    settings_free(held->settings);
    if (with_store) {
        store_free(held->shared->store, 0);
        free(held->shared->url);
        free(held->shared);
    }
    free(held);
#ifdef HAVE_MALLOC_TRIM
    malloc_trim(0); /* else the process stays at its largest size */
#endif
}

/* Ends a use, with the mutex held, and unlocks it. */
static void end_use(struct held *held)
{
    bool is_last = held != NULL && --held->uses == 0;
    bool with_store = is_last && held->shared != NULL && --held->shared->uses == 0;
    alive -= is_last ? 1 : 0;
    pthread_mutex_unlock(&mutex);
    if (is_last)
        free_held(held, with_store);
}

void snapshot_publish(struct settings *settings)
{
    struct held *held = memory_new(1, sizeof *held), *old = in_force;
    struct store_error error;
    bool is_new;
    pthread_mutex_lock(&mutex);
    held->settings = settings;
    held->shared = share(settings);
    held->uses = 1;
    held->shown = (struct snapshot){settings, held->shared != NULL ? held->shared->store : NULL,
                                    old != NULL ? old->shown.generation + 1 : 1};
    is_new = held->shared != NULL && held->shared->uses == 1;
    in_force = held;
    alive++;
    end_use(old);
    if (is_new && !settings->dry_run && store_try(held->shown.store, &error) != 0) {
        metrics_count(COUNT_ERROR_STORE, 1);
        snapshot_log_store(settings, "error", LOG_ERR, error.text);
    }
}

const struct snapshot *snapshot_hold(void)
{
    struct held *held = NULL;
    pthread_mutex_lock(&mutex);
    if (!stopped && in_force != NULL) {
        held = in_force;
        held->uses++;
        holds++;
    }
    pthread_mutex_unlock(&mutex);
    return held != NULL ? &held->shown : NULL;
}

void snapshot_release(const struct snapshot *snapshot)
{
    if (snapshot == NULL)
        return;
    pthread_mutex_lock(&mutex);
    holds--;
    end_use((struct held *)(uintptr_t)snapshot);
}

const struct snapshot *snapshot_in_force(void)
{
    return in_force != NULL ? &in_force->shown : NULL;
}

bool snapshot_is_full(void)
{
    bool full;
    pthread_mutex_lock(&mutex);
    full = alive > OLD_MAX;
    pthread_mutex_unlock(&mutex);
    return full;
}

static size_t count_holds(void)
{
    size_t n;
    pthread_mutex_lock(&mutex);
    stopped = true;
    n = holds;
    pthread_mutex_unlock(&mutex);
    return n;
}

bool snapshot_stop(unsigned milliseconds)
{
    int64_t until = monotonic_now() + milliseconds;
    size_t left;
    while ((left = count_holds()) > 0 && monotonic_now() < until)
        monotonic_sleep(5);
    if (left == 0 && in_force != NULL && in_force->shown.store != NULL) {
        store_free(in_force->shared->store, patience.store_close);
        in_force->shared->store = NULL;
        in_force->shown.store = NULL;
    }
    return left == 0;
}

void snapshot_log_store(const struct settings *settings, const char *severity, int priority,
                        const char *why)
{
    const char *url = settings->store;
    bool has_path = url[store_key_path(span_cstr(url))] != '\0';
    /* libpq's part of the URL may hold a password. */
    log_printf(priority,
               "%s: store \"%.*s\": %s: posts that need a number are treated as on_store_failure "
               "says; each post tries again",
               severity, (int)(has_path ? strlen(url) : strcspn(url, ":")), url, why);
}
