/*
 * The daemon while it runs.  libmilter's threads do the mail; the main thread sleeps until a signal
 * comes, a file changes or a timer is due, reloads, frees old settings, and stops everything in
 * good order.
 */
#include "daemon/service.h"

#include "daemon/log.h"
#include "daemon/reload.h"
#include "daemon/signals.h"
#include "system/monotonic.h"
#include "system/patience.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <syslog.h>
#include <time.h>

/* ---- what messages ask for, in libmilter's threads ------------------------------------------- */

static struct held_settings host_acquire(void *self)
{
    struct service *service = self;
    return settings_in_force_acquire(&service->in_force);
}

static void host_release(void *self, struct held_settings held)
{
    struct service *service = self;
    settings_in_force_release(&service->in_force, held);
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

/* ---- the main thread ------------------------------------------------------------------------ */

void service_init(struct service *service)
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
    settings_in_force_init(&service->in_force, signals_wake);
    gate_init(&service->edits);
    gate_init(&service->answers);
}

/* Also the end of a reload, whether one was announced or not. */
static void notify_ready(struct service *service)
{
    const char *trouble =
        strbuf_span(&service->told).n == 0 ? "" : "; the configuration has errors";
    size_t lists = settings_in_force_list_count(&service->in_force);
    notify_send(&service->notify, "READY=1\nSTATUS=Generation %u, %zu list%s%s",
                service->in_force.published, lists, lists == 1 ? "" : "s", trouble);
}

/* Of two times to wait the shorter one; -1 is for ever. */
static int sooner(int a, int b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* Returns the time until a reload by `watch` is due. While old settings are held by too many
 * messages it is not: whoever saves files and begins messages would fill the memory (RULINGS 101).
 */
static int watch_wait_for_room(struct service *service)
{
    return settings_in_force_is_full(&service->in_force) ? -1 : watch_wait(&service->watch);
}

/* Until there is something to do. SIGNALS_*. */
static unsigned wait_for_work(struct service *service)
{
    int longest = watch_wait_for_room(service);
    longest = sooner(longest, notify_wait(&service->notify));
    longest = sooner(longest, error_budget_wait(&service->budget, monotonic_now()));
    longest = sooner(longest, metrics_file_wait(&service->metrics_file));
    longest = sooner(longest, status_file_wait(&service->status_file));
    return signals_wait(service->watch.descriptor, longest);
}

/* What is due, whatever woke us. */
static void do_chores(struct service *service)
{
    notify_alive(&service->notify);
    settings_in_force_free_unused(&service->in_force);
    reload_log_untold(&service->budget);
    metrics_file_look(&service->metrics_file, &service->metrics);
    if (status_file_wait(&service->status_file) == 0)
        reload_write_status(service);
}

static void reload_and_notify(struct service *service, bool asked)
{
    if (asked)
        notify_reloading(&service->notify);
    reload(service, asked);
    notify_ready(service);
}

/* No more edits and answers, so that the end cannot cut those of a message in half. */
static void end_answers(struct service *service)
{
    if (!gate_shut(&service->edits, patience.finish_edits))
        log_line(LOG_WARNING, "warning: an MTA does not take the edits of a message");
    (void)gate_shut(&service->answers, patience.finish_answers);
    atomic_store(&service->metrics.up, false);
    metrics_file_write(&service->metrics_file, &service->metrics);
}

/* Messages that have begun may end; new ones are told to come again. */
static int stop(struct service *service)
{
    notify_send(&service->notify, "STOPPING=1\nSTATUS=Finishing the messages that are under way");
    settings_in_force_stop(&service->in_force, patience.finish_store);
    if (!settings_in_force_wait_idle(&service->in_force, patience.finish_messages))
        log_line(LOG_INFO, "messages that are not complete will have to come again");
    end_answers(service);
    log_line(LOG_INFO, "stopped");
    return EX_OK;
}

static int stop_without_libmilter(struct service *service)
{
    log_line(LOG_ERR, "error: libmilter has ended without being asked to");
    settings_in_force_stop(&service->in_force, patience.finish_store);
    end_answers(service);
    return EX_TEMPFAIL;
}

int service_run(struct service *service)
{
    reload_watch(service);
    notify_ready(service);
    for (;;) {
        unsigned what = wait_for_work(service);
        do_chores(service);
        if ((what & SIGNALS_STOP) != 0)
            return stop(service);
        if (listener_has_ended(&service->listener))
            return stop_without_libmilter(service);
        if ((what & SIGNALS_INPUT) != 0)
            watch_read(&service->watch);
        if ((what & SIGNALS_RELOAD) != 0)
            reload_and_notify(service, true);
        else if (watch_wait_for_room(service) == 0)
            reload_and_notify(service, false);
    }
}

bool service_free(struct service *service)
{
    bool idle;
    listener_close(&service->listener);
    status_file_remove(&service->status_file); /* while the lock says that it is ours */
    pid_file_remove(&service->pid_file);
    settings_in_force_stop(&service->in_force, 0);
    idle = settings_in_force_wait_idle(&service->in_force, 0);
    settings_in_force_free(&service->in_force);
    start_keys_free(&service->keys);
    watch_free(&service->watch);
    settings_free(service->wrong);
    notify_close(&service->notify);
    metrics_file_free(&service->metrics_file);
    strbuf_free(&service->told);
    free(service->config_path);
    service->config_path = NULL;
    return idle;
}
