/*
 * The daemon while it runs.  libmilter's threads do the mail; the main thread sleeps until a signal
 * comes, reloads, frees old settings, and stops everything in good order.
 */
#include "daemon/service.h"

#include "daemon/log.h"
#include "daemon/signals.h"
#include "system/monotonic.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <syslog.h>
#include <time.h>

/* How long a stop waits for messages that are on their way, then for edits that are being sent,
 * then for answers, in seconds. Of the first a message may wait so many milliseconds for the store.
 */
#define FINISH_MESSAGES 5
#define FINISH_EDITS    5
#define FINISH_ANSWERS  2
#define FINISH_STORE    2000

static struct held_settings host_acquire(void *self)
{
    struct service *service = self;

    return snapshot_acquire(&service->store);
}

static void host_release(void *self, struct held_settings held)
{
    struct service *service = self;

    snapshot_release(&service->store, held);
}

static bool host_begin_edits(void *self)
{
    struct service *service = self;

    return gate_enter(&service->edits);
}

static void host_end_edits(void *self)
{
    struct service *service = self;

    gate_leave(&service->edits);
}

static bool host_begin_answer(void *self)
{
    struct service *service = self;

    return gate_enter(&service->answers);
}

static void host_end_answer(void *self)
{
    struct service *service = self;

    gate_leave(&service->answers);
}

static void host_log(void *self, enum host_log level, const char *text)
{
    (void)self;
    log_line(level == HOST_LOG_ERROR     ? LOG_ERR
             : level == HOST_LOG_WARNING ? LOG_WARNING
                                         : LOG_INFO,
             text);
}

static int64_t host_now(void *self)
{
    (void)self;
    return (int64_t)time(NULL);
}

static void host_count(void *self, enum host_count what, uint64_t n)
{
    struct service *service = self;

    metrics_count(&service->metrics, what, n);
}

static void host_store_took(void *self, uint64_t nanoseconds)
{
    struct service *service = self;

    metrics_store_took(&service->metrics, nanoseconds);
}

int service_init(struct service *service)
{
    memset(service, 0, sizeof *service);
    service->pid_file = (struct pid_file)PID_FILE_INIT;
    service->watch = (struct watch)WATCH_INIT;
    service->notify = (struct notify)NOTIFY_INIT;
    service->host = (struct milter_host){
        .self = service,
        .acquire = host_acquire,
        .release = host_release,
        .begin_edits = host_begin_edits,
        .end_edits = host_end_edits,
        .begin_answer = host_begin_answer,
        .end_answer = host_end_answer,
        .log = host_log,
        .now = host_now,
        .count = host_count,
        .store_took = host_store_took,
    };
    metrics_init(&service->metrics);
    atomic_store(&service->metrics.started, (int64_t)time(NULL));
    if (snapshot_store_init(&service->store, signals_wake) != 0 ||
        store_trial_init(&service->trial, &service->store, &service->metrics) != 0 ||
        metrics_file_init(&service->metrics_file, &service->metrics) != 0 ||
        gate_init(&service->edits) != 0)
        return -1;
    return gate_init(&service->answers);
}

/* Folders that were made meanwhile, and what they hold, are watched before they are read. */
static void watch_in_force(struct service *service)
{
    struct held_settings in_force = snapshot_acquire(&service->store);

    if (in_force.settings != NULL)
        watch_arm(&service->watch, in_force.settings, service->wrong);
    snapshot_release(&service->store, in_force);
}

int service_publish(struct service *service, struct settings *settings)
{
    if (snapshot_publish(&service->store, settings) != 0)
        return -1;
    /* Nobody else publishes, so they are in force. */
    metrics_settings(&service->metrics, settings, service->store.generation, (int64_t)time(NULL));
    metrics_file_use(&service->metrics_file, settings->metrics);
    return 0;
}

/* New settings are built beside the old ones, which a delegated file that has become wrong falls
 * back to. NULL: they cannot be used, and what they are made of is watched, as that is what will be
 * made right. *same: nothing has changed. */
static struct settings *load_again(struct service *service, bool asked, bool *news, bool *same)
{
    struct held_settings in_force = snapshot_acquire(&service->store);
    struct settings *wrong = NULL;
    const struct settings_request request = {
        .path = service->config_path,
        .previous = in_force.settings,
        .wrong = in_force.settings != NULL && in_force.settings->watch ? &wrong : NULL,
    };
    struct settings *settings =
        configuration_load_again(&request, &service->told, news, asked ? NULL : &service->budget);

    settings_free(service->wrong);
    service->wrong = wrong;
    *same = settings != NULL && in_force.settings != NULL &&
            fingerprint_eq(&settings->fingerprint, &in_force.settings->fingerprint);
    snapshot_release(&service->store, in_force);
    return settings;
}

static void publish(struct service *service, struct settings *settings)
{
    size_t lists = settings->index.count;

    start_keys_compare(&service->keys, settings);
    if (service_publish(service, settings) == 0) {
        log_printf(LOG_INFO, "reloaded %s: generation %u, %zu list%s", service->config_path,
                   service->store.generation, lists, lists == 1 ? "" : "s");
        store_trial_run(&service->trial, 0);
        watch_in_force(service);
    } else {
        settings_free(settings);
        log_line(LOG_ERR, "error: out of memory: the old configuration stays");
        metrics_count(&service->metrics, COUNT_RELOAD_FAILED, 1);
    }
}

/* The old settings stay if anything is wrong. Nothing was asked: a file has changed, and what has
 * been said is not said again. */
static void reload(struct service *service, bool asked)
{
    struct settings *settings;
    bool news, same;
    int64_t begin;

    if (asked) {
        strbuf_reset(&service->told);
        watch_forget_told(&service->watch);
    }
    watch_in_force(service);
    watch_begin_load(&service->watch, &begin);
    settings = load_again(service, asked, &news, &same);
    watch_end_load(&service->watch, begin);
    if (service->wrong != NULL)
        watch_in_force(service);
    if (settings != NULL && (asked || !same)) {
        publish(service, settings);
    } else if (settings != NULL) {
        atomic_store(&service->metrics.delegated_wrong, settings->delegated_wrong);
        settings_free(settings);
        if (!news)
            return;
        if (strbuf_span(&service->told).n == 0)
            log_printf(LOG_INFO, "%s is right again, and as it was", service->config_path);
    } else if (asked || news) {
        log_printf(LOG_ERR, "error: reload of %s failed: the old configuration stays",
                   service->config_path);
        metrics_count(&service->metrics, COUNT_RELOAD_FAILED, 1);
    } else
        return;
    metrics_file_write(&service->metrics_file);
    pid_file_touch(&service->pid_file);
}

/* Also the end of a reload, whether one was announced or not. */
static void notify_ready(struct service *service)
{
    const char *trouble =
        strbuf_span(&service->told).n == 0 ? "" : "; the configuration has errors";
    size_t lists = snapshot_list_count(&service->store);

    notify_send(&service->notify, "READY=1\nSTATUS=Generation %u, %zu list%s%s",
                service->store.generation, lists, lists == 1 ? "" : "s", trouble);
}

/* Until there is something to do. SIGNALS_*. */
static unsigned wait_for_work(struct service *service)
{
    int watch = watch_wait(&service->watch);
    int alive = notify_wait(&service->notify);
    int owed = error_budget_wait(&service->budget, monotonic_now());
    int first = watch < 0 || (alive >= 0 && alive < watch) ? alive : watch;

    first = first < 0 || (owed >= 0 && owed < first) ? owed : first;
    unsigned what = signals_wait(service->watch.descriptor, first);

    notify_alive(&service->notify);
    return what;
}

static void write_last_metrics(struct service *service)
{
    atomic_store(&service->metrics.up, false);
    metrics_file_end(&service->metrics_file);
}

/* Messages that have begun may end; new ones are told to come again. Then no more edits, so that
 * the end cannot cut a message's edits in half. */
static void stop(struct service *service)
{
    notify_send(&service->notify, "STOPPING=1\nSTATUS=Finishing the messages that are under way");
    snapshot_stop(&service->store, FINISH_STORE);
    if (!snapshot_wait_idle(&service->store, FINISH_MESSAGES))
        log_line(LOG_INFO, "messages that are not complete will have to come again");
    if (!gate_shut(&service->edits, FINISH_EDITS))
        log_line(LOG_WARNING, "warning: an MTA does not take the edits of a message");
    (void)gate_shut(&service->answers, FINISH_ANSWERS);
    write_last_metrics(service);
}

int service_run(struct service *service)
{
    watch_in_force(service);
    notify_ready(service);
    for (;;) {
        unsigned what = wait_for_work(service);

        snapshot_free_retired(&service->store);
        configuration_log_untold(&service->budget);
        if ((what & SIGNALS_STOP) != 0) {
            stop(service);
            log_line(LOG_INFO, "stopped");
            return EX_OK;
        }
        if (listener_has_ended(&service->listener)) {
            log_line(LOG_ERR, "error: libmilter has ended without being asked to");
            snapshot_stop(&service->store, FINISH_STORE);
            (void)gate_shut(&service->edits, FINISH_EDITS);
            (void)gate_shut(&service->answers, FINISH_ANSWERS);
            write_last_metrics(service);
            return EX_TEMPFAIL;
        }
        if ((what & SIGNALS_INPUT) != 0)
            watch_read(&service->watch);
        if ((what & SIGNALS_RELOAD) != 0) {
            notify_reloading(&service->notify);
            reload(service, true);
            notify_ready(service);
        } else if (watch_wait(&service->watch) == 0) {
            reload(service, false);
            notify_ready(service);
        }
    }
}

bool service_free(struct service *service)
{
    bool idle;

    listener_close(&service->listener);
    pid_file_remove(&service->pid_file);
    snapshot_stop(&service->store, 0);
    idle = snapshot_wait_idle(&service->store, 0);
    snapshot_store_free(&service->store);
    start_keys_free(&service->keys);
    watch_free(&service->watch);
    settings_free(service->wrong);
    notify_close(&service->notify);
    strbuf_free(&service->told);
    error_budget_free(&service->budget);
    free(service->config_path);
    service->config_path = NULL;
    return idle;
}
