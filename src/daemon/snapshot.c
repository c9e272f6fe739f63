/* Settings with a count of who uses them. The mutex is held for a few instructions only. */
#include "daemon/snapshot.h"

#include "system/monotonic.h"
#include "system/wait_for_none.h"

#include <stdlib.h>
#include <string.h>

/* How long the end of the daemon waits for the store to close, in milliseconds. It need not. */
#define CLOSE_STORE 1000

struct snapshot {
    struct settings *settings;
    struct shared_store *shared;
    size_t held;
    struct snapshot *next; /* of those replaced, or of those retired */
};

int snapshot_store_init(struct snapshot_store *store, void (*on_retired)(void))
{
    memset(store, 0, sizeof *store);
    store->on_retired = on_retired;
    if (pthread_mutex_init(&store->mutex, NULL) != 0)
        return -1;
    if (wait_for_none_init(&store->none_held) != 0) {
        pthread_mutex_destroy(&store->mutex);
        return -1;
    }
    return 0;
}

/* With the mutex held. */
static void retire(struct snapshot_store *store, struct snapshot *snapshot)
{
    snapshot->next = store->retired;
    store->retired = snapshot;
}

/* With the mutex held: it is not in force any more, and somebody holds it. */
static void replace(struct snapshot_store *store, struct snapshot *snapshot)
{
    snapshot->next = store->replaced;
    store->replaced = snapshot;
}

/* With the mutex held. */
static void forget_replaced(struct snapshot_store *store, const struct snapshot *snapshot)
{
    struct snapshot **at = &store->replaced;

    while (*at != snapshot)
        at = &(*at)->next;
    *at = snapshot->next;
}

int snapshot_publish(struct snapshot_store *store, struct settings *settings)
{
    struct snapshot *snapshot = calloc(1, sizeof *snapshot);

    if (snapshot == NULL)
        return -1;
    snapshot->settings = settings;
    /* Nobody else publishes, so what is in force stays so meanwhile. */
    snapshot->shared =
        shared_store_for(settings, store->current != NULL ? store->current->shared : NULL);
    pthread_mutex_lock(&store->mutex);
    if (store->current != NULL && store->current->held == 0)
        retire(store, store->current);
    else if (store->current != NULL)
        replace(store, store->current);
    store->current = snapshot;
    store->generation++;
    pthread_mutex_unlock(&store->mutex);
    snapshot_free_retired(store);
    return 0;
}

struct held_settings snapshot_acquire(struct snapshot_store *store)
{
    struct held_settings held = {0};

    pthread_mutex_lock(&store->mutex);
    if (!store->stopped && store->current != NULL) {
        store->current->held++;
        store->held++;
        held.settings = store->current->settings;
        held.store = shared_store_of(store->current->shared);
        held.handle = store->current;
    }
    pthread_mutex_unlock(&store->mutex);
    return held;
}

void snapshot_release(struct snapshot_store *store, struct held_settings held)
{
    struct snapshot *snapshot = held.handle;
    bool retired = false;

    if (snapshot == NULL)
        return;
    pthread_mutex_lock(&store->mutex);
    if (--snapshot->held == 0 && snapshot != store->current) {
        forget_replaced(store, snapshot);
        retire(store, snapshot);
        retired = true;
    }
    if (--store->held == 0 && store->stopped)
        pthread_cond_broadcast(&store->none_held);
    pthread_mutex_unlock(&store->mutex);
    if (retired)
        store->on_retired();
}

struct shared_store *snapshot_shared_store(struct snapshot_store *store)
{
    return store->current != NULL ? store->current->shared : NULL;
}

static void snapshot_free(struct snapshot *snapshot, unsigned milliseconds)
{
    settings_free(snapshot->settings);
    shared_store_release(snapshot->shared, milliseconds);
    free(snapshot);
}

void snapshot_free_retired(struct snapshot_store *store)
{
    struct snapshot *next;

    pthread_mutex_lock(&store->mutex);
    next = store->retired;
    store->retired = NULL;
    pthread_mutex_unlock(&store->mutex);
    while (next != NULL) {
        struct snapshot *snapshot = next;

        next = snapshot->next;
        snapshot_free(snapshot, 0);
    }
}

size_t snapshot_list_count(struct snapshot_store *store)
{
    size_t count;

    pthread_mutex_lock(&store->mutex);
    count = store->current != NULL ? store->current->settings->index.count : 0;
    pthread_mutex_unlock(&store->mutex);
    return count;
}

void snapshot_stop(struct snapshot_store *store, unsigned milliseconds)
{
    int64_t moment = monotonic_now() + milliseconds;

    pthread_mutex_lock(&store->mutex);
    store->stopped = true;
    for (const struct snapshot *old = store->replaced; old != NULL; old = old->next)
        shared_store_set_last_moment(old->shared, moment);
    if (store->current != NULL)
        shared_store_set_last_moment(store->current->shared, moment);
    pthread_mutex_unlock(&store->mutex);
}

bool snapshot_wait_idle(struct snapshot_store *store, unsigned milliseconds)
{
    bool idle;

    pthread_mutex_lock(&store->mutex);
    idle = wait_for_none(&store->held, &store->none_held, &store->mutex, milliseconds);
    pthread_mutex_unlock(&store->mutex);
    return idle;
}

void snapshot_store_free(struct snapshot_store *store)
{
    struct snapshot *last = NULL;

    snapshot_free_retired(store);
    pthread_mutex_lock(&store->mutex);
    if (store->held == 0) {
        last = store->current;
        store->current = NULL;
    }
    pthread_mutex_unlock(&store->mutex);
    if (last != NULL)
        snapshot_free(last, CLOSE_STORE);
}
