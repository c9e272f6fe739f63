/* A thread that holds the settings while it opens their store. */
#include "daemon/store_trial.h"

#include "daemon/log.h"
#include "daemon/shared_store.h"
#include "daemon/wait_for_none.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

struct task {
    struct store_trial *trial;
    struct held_settings held;
};

int store_trial_init(struct store_trial *trial, struct snapshot_store *snapshots)
{
    memset(trial, 0, sizeof *trial);
    trial->snapshots = snapshots;
    if (pthread_mutex_init(&trial->mutex, NULL) != 0)
        return -1;
    if (pthread_cond_init(&trial->done, NULL) != 0) {
        pthread_mutex_destroy(&trial->mutex);
        return -1;
    }
    return 0;
}

static void end(struct task *task)
{
    struct store_trial *trial = task->trial;

    snapshot_release(trial->snapshots, task->held);
    free(task);
    pthread_mutex_lock(&trial->mutex);
    if (--trial->running == 0)
        pthread_cond_broadcast(&trial->done);
    pthread_mutex_unlock(&trial->mutex);
}

static void *run(void *argument)
{
    struct task *task = argument;
    struct store_error error;

    if (store_try(task->held.store, &error) != 0)
        shared_store_complain(task->held.settings, "error", LOG_ERR, error.text);
    end(task);
    return NULL;
}

/* 0 or -1 with errno. */
static int start(struct task *task)
{
    sigset_t all, saved;
    pthread_t thread;
    int result;

    sigfillset(&all);
    result = pthread_sigmask(SIG_SETMASK, &all, &saved);
    if (result == 0) {
        result = pthread_create(&thread, NULL, run, task);
        (void)pthread_sigmask(SIG_SETMASK, &saved, NULL);
    }
    if (result == 0)
        (void)pthread_detach(thread);
    errno = result;
    return result == 0 ? 0 : -1;
}

void store_trial_run(struct store_trial *trial, unsigned seconds)
{
    struct task *task = calloc(1, sizeof *task);

    if (task == NULL) {
        log_line(LOG_ERR, "error: out of memory: the store was not tried");
        return;
    }
    task->trial = trial;
    task->held = snapshot_acquire(trial->snapshots);
    pthread_mutex_lock(&trial->mutex);
    trial->running++;
    pthread_mutex_unlock(&trial->mutex);
    /* None is needed, or it was complained of; with dry_run none is made (RULINGS 72). */
    if (task->held.store == NULL || task->held.settings->dry_run) {
        end(task);
        return;
    }
    if (start(task) != 0) {
        log_printf(LOG_ERR, "error: the store was not tried: %s", strerror(errno));
        end(task);
        return;
    }
    pthread_mutex_lock(&trial->mutex);
    (void)wait_for_none(&trial->running, &trial->done, &trial->mutex, seconds);
    pthread_mutex_unlock(&trial->mutex);
}
