/*
 * store_trial - finds out at a start and a reload whether the store works
 *
 * A store that does not answer must hold up neither a start for long nor a stop or
 * another reload at all, so a thread of its own asks it.  It holds the store, not the
 * settings, which are freed as if it were not there.  What it finds is logged; nothing
 * else depends on it.
 */
#ifndef MLMILTER_DAEMON_STORE_TRIAL_H
#define MLMILTER_DAEMON_STORE_TRIAL_H

#include "daemon/metrics.h"
#include "daemon/snapshot.h"

#include <pthread.h>
#include <stddef.h>

struct store_trial {
    struct snapshot_store *snapshots; /* borrowed; lives as long as the process */
    struct metrics *metrics;          /* likewise */
    pthread_mutex_t mutex;
    pthread_cond_t done;
    size_t running;                /* one at a time: 0 or 1 */
    struct store_trial_task *next; /* the newest that waits for that one; NULL: none */
};

/* 0 or -1. */
int store_trial_init(struct store_trial *trial, struct snapshot_store *snapshots,
                     struct metrics *metrics);

/* Main thread: opens the store of the settings in force if they need one and may write, and waits
 * for that at most so many seconds. A failure is logged, also when nobody waits for it any more.
 * While another trial runs, this one comes after it, unless a still newer one takes its place. */
void store_trial_run(struct store_trial *trial, unsigned seconds);

#endif
