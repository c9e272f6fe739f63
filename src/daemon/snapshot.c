/* snapshot - see snapshot.h */
#include "daemon/snapshot.h"

#include "daemon/log.h"
#include "daemon/metrics.h"
#include "store/url.h"
#include "system/monotonic.h"
#include "system/timeouts.h"
#include "text/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct snapshot *in_force;
static atomic_size_t alive; /* snapshots */
static bool is_stopped;

static void log_store(const struct settings *settings, const char *why)
{
    /* The scheme alone: libpq's part of the URL may hold a password. */
    log_printf(LOG_ERR,
               "error: store \"%.*s\": %s: posts that need a number are treated as "
               "on_store_failure says; each post tries again",
               (int)strcspn(settings->store, ":"), settings->store, why);
}

static bool has_same_store(const struct settings *a, const struct settings *b)
{
    return a->dry_run == b->dry_run && strcmp(a->store, b->store) == 0;
}

/* Shares the store of the last snapshot, or creates one. Returns true if it is new. */
static bool find_store(struct snapshot *snapshot, const struct snapshot *last)
{
    const struct settings *settings = snapshot->settings;
    struct store_error error;
    if (!settings->needs_store)
        return false;
    if (last != NULL && last->store != NULL && has_same_store(settings, last->settings)) {
        snapshot->store = store_share(last->store);
        return false;
    }
    snapshot->store = store_of_url(settings->store, settings->dry_run, &error);
    if (snapshot->store == NULL)
        log_store(settings, error.text);
    return snapshot->store != NULL;
}

static void try_store(const struct snapshot *snapshot)
{
    struct store_error error;
    if (snapshot->settings->dry_run || store_try(snapshot->store, &error) == 0)
        return;
    metrics_count(COUNT_ERROR_STORE, 1);
    log_store(snapshot->settings, error.text);
}

/* Ends a hold. The caller has locked the mutex; returns with it unlocked. The last hold frees the
 * snapshot. */
static void end_hold_and_unlock(struct snapshot *snapshot)
{
    bool is_last = --snapshot->holds == 0;
    alive -= is_last ? 1 : 0;
    pthread_mutex_unlock(&mutex);
    if (!is_last)
        return;
    settings_free(snapshot->settings);
    store_free(snapshot->store, 0);
    free(snapshot);
}

void snapshot_publish(struct settings *settings)
{
    struct snapshot *snapshot = memory_new(1, sizeof *snapshot), *last = in_force;
    bool has_new_store;
    *snapshot = (struct snapshot){
        .settings = settings, .generation = 1, .published = (int64_t)time(NULL), .holds = 1};
    if (last != NULL)
        snapshot->generation = last->generation + 1;
    has_new_store = find_store(snapshot, last);
    pthread_mutex_lock(&mutex);
    in_force = snapshot;
    alive++;
    if (last != NULL)
        end_hold_and_unlock(last);
    else
        pthread_mutex_unlock(&mutex);
    if (has_new_store)
        try_store(snapshot);
}

struct snapshot *snapshot_hold(void)
{
    struct snapshot *snapshot;
    pthread_mutex_lock(&mutex);
    snapshot = is_stopped ? NULL : in_force;
    if (snapshot != NULL)
        snapshot->holds++;
    pthread_mutex_unlock(&mutex);
    return snapshot;
}

void snapshot_release(struct snapshot *snapshot)
{
    if (snapshot == NULL)
        return;
    pthread_mutex_lock(&mutex);
    end_hold_and_unlock(snapshot);
}

const struct snapshot *snapshot_in_force(void)
{
    return in_force;
}

void snapshot_store_news(struct store_news *news)
{
    static const struct store *created;
    *news = (struct store_news){.is_failing = false};
    if (in_force->store != NULL)
        store_get_news(in_force->store, news);
    if (news->is_created && in_force->store != created) {
        created = in_force->store;
        log_printf(
            LOG_WARNING,
            "warning: store \"%.*s\": the database was missing and was created: numbers begin "
            "with 1; mlmilterctl sequence set continues older ones",
            (int)strcspn(in_force->settings->store, ":"), in_force->settings->store);
    }
    news->is_created = created != NULL;
}

size_t snapshot_count_old(void)
{
    return alive - 1;
}

/* Permits no more holds. Returns true if messages have some. */
static bool stop_holds(void)
{
    bool has_holds;
    pthread_mutex_lock(&mutex);
    is_stopped = true;
    has_holds = alive > 1 || in_force->holds > 1;
    pthread_mutex_unlock(&mutex);
    return has_holds;
}

bool snapshot_stop(unsigned milliseconds)
{
    int64_t until = monotonic_now() + milliseconds;
    bool has_holds;
    while ((has_holds = stop_holds()) && monotonic_now() < until)
        monotonic_sleep(5);
    if (!has_holds) {
        store_free(in_force->store, timeouts.store_close);
        in_force->store = NULL;
    }
    return !has_holds;
}
