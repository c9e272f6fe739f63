/*
 * snapshot - the settings that are in force, and those that a message still uses
 *
 * A message holds the settings that it began with, and their store, until it ends.
 * A reload publishes new ones; the old ones are freed by the main thread once
 * nobody holds them, so that no message waits for it.
 */
#ifndef MLMILTER_DAEMON_SNAPSHOT_H
#define MLMILTER_DAEMON_SNAPSHOT_H

#include "config/settings.h"
#include "daemon/shared_store.h"
#include "milter/host.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct snapshot;

struct snapshot_store {
    pthread_mutex_t mutex;
    pthread_cond_t none_held; /* signalled when `held` falls to 0 */
    struct snapshot *current;
    struct snapshot *replaced; /* held by messages that began before a reload */
    struct snapshot *retired;  /* nobody holds them any more */
    size_t held;               /* holds of all generations */
    unsigned generation;       /* how many were published */
    bool stopped;
    void (*on_retired)(void); /* told, in any thread, that there is something to free; never NULL */
};

/* 0 or -1. */
int snapshot_store_init(struct snapshot_store *store, void (*on_retired)(void));

/* Main thread: takes settings over and makes them those in force, with the store that they need
 * (daemon/shared_store.h). 0, or -1 when memory is out: then the caller still owns them. */
int snapshot_publish(struct snapshot_store *store, struct settings *settings);

/* Any thread. The settings in force, held until released; none once the store was stopped. */
struct held_settings snapshot_acquire(struct snapshot_store *store);
void snapshot_release(struct snapshot_store *store, struct held_settings held);

/* Main thread: the store in force, until the next one is published. NULL: none. */
struct shared_store *snapshot_shared_store(struct snapshot_store *store);

/* The main thread: frees what nobody holds any more. */
void snapshot_free_retired(struct snapshot_store *store);

/* How many lists the settings in force have. */
size_t snapshot_list_count(struct snapshot_store *store);

/* Main thread: no more holds from now on, and whoever waits for a store does so for at most this
 * many milliseconds more (store_set_last_moment). */
void snapshot_stop(struct snapshot_store *store, unsigned milliseconds);

/* Waits until there is no hold, at most so many milliseconds. Says whether there is none. */
bool snapshot_wait_idle(struct snapshot_store *store, unsigned milliseconds);

/* Main thread: frees everything, unless somebody still holds something: then nothing. Gives the
 * store in force a moment to close. */
void snapshot_store_free(struct snapshot_store *store);

#endif
