/* A thread that opens the store. */
#include "daemon/store_trial.h"

#include "daemon/log.h"
#include "daemon/shared_store.h"
#include "system/thread.h"
#include "system/wait_for_none.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

struct store_trial_task {
    struct shared_store *shared; /* one use of it */
    struct store_effect effect;
};

int store_trial_init(struct store_trial *trial, struct snapshot_store *snapshots,
                     struct metrics *metrics)
{
    memset(trial, 0, sizeof *trial);
    trial->snapshots = snapshots;
    trial->metrics = metrics;
    if (pthread_mutex_init(&trial->mutex, NULL) != 0)
        return -1;
    if (wait_for_none_init(&trial->done) != 0) {
        pthread_mutex_destroy(&trial->mutex);
        return -1;
    }
    return 0;
}

static void task_free(struct store_trial_task *task)
{
    if (task == NULL)
        return;
    shared_store_release(task->shared, 0);
    free(task);
}

static void try(struct store_trial *trial, const struct store_trial_task *task)
{
    struct store_error error;

    if (store_try(shared_store_of(task->shared), &error) == 0)
        return;
    metrics_count(trial->metrics, COUNT_ERROR_STORE, 1);
    shared_store_complain(shared_store_url(task->shared), task->effect, "error", LOG_ERR,
                          error.text);
}

static void *run(void *argument)
{
    struct store_trial *trial = argument;
    struct store_trial_task *task;

    pthread_mutex_lock(&trial->mutex);
    while ((task = trial->next) != NULL) {
        trial->next = NULL;
        pthread_mutex_unlock(&trial->mutex);
        try(trial, task);
        task_free(task);
        pthread_mutex_lock(&trial->mutex);
    }
    trial->running = 0;
    pthread_cond_broadcast(&trial->done);
    pthread_mutex_unlock(&trial->mutex);
    return NULL;
}

/* NULL: there is nothing to try. None is needed, or it was complained of; with dry_run none is made
 * (RULINGS 72). */
static struct store_trial_task *make_task(struct snapshot_store *snapshots)
{
    struct held_settings held = snapshot_acquire(snapshots);
    struct store_trial_task *task = NULL;

    if (held.store != NULL && !held.settings->dry_run) {
        task = calloc(1, sizeof *task);
        if (task == NULL) {
            log_line(LOG_ERR, "error: out of memory: the store was not tried");
        } else {
            task->shared = snapshot_use_store(snapshots);
            task->effect = shared_store_effect(held.settings);
        }
    }
    snapshot_release(snapshots, held);
    return task;
}

void store_trial_run(struct store_trial *trial, unsigned seconds)
{
    struct store_trial_task *task = make_task(trial->snapshots);
    struct store_trial_task *before;

    if (task == NULL)
        return;
    pthread_mutex_lock(&trial->mutex);
    before = trial->next;
    trial->next = task;
    if (trial->running == 0) {
        if (thread_start(NULL, run, trial) == 0) {
            trial->running = 1;
        } else {
            log_printf(LOG_ERR, "error: the store was not tried: %s", strerror(errno));
            trial->next = NULL;
            before = task;
        }
    }
    (void)wait_for_none(&trial->running, &trial->done, &trial->mutex, seconds);
    pthread_mutex_unlock(&trial->mutex);
    task_free(before);
}
