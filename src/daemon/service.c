/*
 * The daemon while it runs.  libmilter's threads do the mail; the main thread sleeps until a signal
 * comes, reloads, frees old settings, and stops everything in good order.
 */
#include "daemon/service.h"

#include "daemon/log.h"
#include "daemon/signals.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <syslog.h>
#include <time.h>

/* How long a stop waits for messages that are on their way, and then for edits that are being
 * sent, in seconds. */
#define FINISH_MESSAGES 5
#define FINISH_EDITS    5

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

    return gate_enter(&service->gate);
}

static void host_end_edits(void *self)
{
    struct service *service = self;

    gate_leave(&service->gate);
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

int service_init(struct service *service)
{
    memset(service, 0, sizeof *service);
    service->pid_file = (struct pid_file)PID_FILE_INIT;
    service->host = (struct milter_host){
        .self = service,
        .acquire = host_acquire,
        .release = host_release,
        .begin_edits = host_begin_edits,
        .end_edits = host_end_edits,
        .log = host_log,
        .now = host_now,
    };
    if (snapshot_store_init(&service->store, signals_wake) != 0 ||
        store_trial_init(&service->trial, &service->store) != 0)
        return -1;
    return gate_init(&service->gate);
}

/* New settings are built beside the old ones, which a delegated file that has become wrong falls
 * back to. NULL: they cannot be used. */
static struct settings *load_again(struct service *service)
{
    struct held_settings in_force = snapshot_acquire(&service->store);
    const struct settings_request request = {
        .path = service->config_path,
        .previous = in_force.settings,
    };
    struct settings *settings = configuration_load(&request, false);

    snapshot_release(&service->store, in_force);
    return settings;
}

/* The old settings stay if anything is wrong. */
static void reload(struct service *service)
{
    struct settings *settings = load_again(service);
    size_t lists;

    if (settings == NULL) {
        log_printf(LOG_ERR, "error: reload of %s failed: the old configuration stays",
                   service->config_path);
    } else {
        start_keys_compare(&service->keys, settings);
        lists = settings->index.count;
        if (snapshot_publish(&service->store, settings) == 0) {
            log_printf(LOG_INFO, "reloaded %s: generation %u, %zu lists", service->config_path,
                       service->store.generation, lists);
            store_trial_run(&service->trial, 0);
        } else {
            settings_free(settings);
            log_line(LOG_ERR, "error: out of memory: the old configuration stays");
        }
    }
    pid_file_touch(&service->pid_file);
}

/* Messages that have begun may end; new ones are told to come again. Then no more edits, so that
 * the end cannot cut a message's edits in half. */
static void stop(struct service *service)
{
    struct timespec last_packet = {.tv_nsec = 20 * 1000 * 1000};

    snapshot_stop(&service->store);
    if (!snapshot_wait_idle(&service->store, FINISH_MESSAGES))
        log_line(LOG_INFO, "messages that are not complete will have to come again");
    if (!gate_shut(&service->gate, FINISH_EDITS))
        log_line(LOG_WARNING, "warning: an MTA does not take the edits of a message");
    /* libmilter sends the answer to a message after our last word about it. */
    (void)nanosleep(&last_packet, NULL);
}

int service_run(struct service *service)
{
    for (;;) {
        unsigned what = signals_wait();

        snapshot_free_retired(&service->store);
        if ((what & SIGNALS_STOP) != 0) {
            stop(service);
            log_line(LOG_INFO, "stopped");
            return EX_OK;
        }
        if (listener_has_ended(&service->listener)) {
            log_line(LOG_ERR, "error: libmilter has ended without being asked to");
            snapshot_stop(&service->store);
            (void)gate_shut(&service->gate, FINISH_EDITS);
            return EX_TEMPFAIL;
        }
        if ((what & SIGNALS_RELOAD) != 0)
            reload(service);
    }
}

bool service_free(struct service *service)
{
    bool idle;

    listener_close(&service->listener);
    pid_file_remove(&service->pid_file);
    snapshot_stop(&service->store);
    idle = snapshot_wait_idle(&service->store, 0);
    snapshot_store_free(&service->store);
    start_keys_free(&service->keys);
    free(service->config_path);
    service->config_path = NULL;
    return idle;
}
