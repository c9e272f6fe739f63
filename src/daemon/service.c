/* service - see service.h */
#include "daemon/service.h"

#include "daemon/listener.h"
#include "daemon/log.h"
#include "daemon/metrics.h"
#include "daemon/notify.h"
#include "daemon/reload.h"
#include "daemon/signals.h"
#include "daemon/snapshot.h"
#include "daemon/watch.h"
#include "libmilter/connection.h"
#include "system/monotonic.h"
#include "system/patience.h"

#include <sysexits.h>
#include <syslog.h>

/* Ends a start, or a reload. */
static void notify_ready(void)
{
    const struct snapshot *now = snapshot_in_force();
    size_t lists = now->settings->index.count;
    notify_send("READY=1\nSTATUS=Generation %u, %zu list%s%s", now->generation, lists,
                lists == 1 ? "" : "s", reload_has_errors() ? "; the configuration has errors" : "");
}

static void reload_and_notify(bool asked)
{
    if (asked)
        notify_send("RELOADING=1\nMONOTONIC_USEC=%lld", (long long)monotonic_nanoseconds() / 1000);
    reload(asked);
    notify_ready();
}

/* Lets open messages end, and answers leave. New messages are deferred. */
static int stop(void)
{
    bool is_expected = !listener_has_ended();
    notify_send("STOPPING=1\nSTATUS=Finishing open messages");
    if (!is_expected)
        log_line(LOG_ERR, "error: libmilter stopped unexpectedly");
    if (!snapshot_stop(is_expected ? patience.finish_messages : 0))
        log_line(LOG_INFO, "stopping: unfinished messages were left to the MTA to retry");
    monotonic_sleep(patience.finish_answers);
    if (!connection_wait_for_answers(patience.finish_edits))
        log_line(LOG_WARNING, "warning: an MTA does not take the answer to a message");
    metrics_write(false);
    if (is_expected)
        log_line(LOG_INFO, "stopped");
    return is_expected ? EX_OK : EX_TEMPFAIL;
}

/* Returns the time until a reload by `watch` is due, or the files are. While old settings are held
 * by too many messages a reload is not: whoever saves files and begins messages would fill the
 * memory (RULINGS 101). */
static int time_to_wait(int64_t next_files)
{
    int64_t files = next_files - monotonic_now();
    int reload_due = watch_wait();
    if (reload_due >= 0 && snapshot_is_full())
        reload_due = (int)patience.full;
    if (files < 0)
        files = 0;
    return reload_due >= 0 && reload_due < files ? reload_due : (int)files;
}

int service_run(void)
{
    int64_t next_files = monotonic_now() + patience.files_every;
    watch_folders_of(snapshot_in_force()->settings);
    notify_ready();
    for (;;) {
        unsigned what = signals_wait(watch_descriptor(), time_to_wait(next_files));
        if ((what & SIGNALS_STOP) != 0)
            return stop();
        if ((what & SIGNALS_INPUT) != 0)
            watch_read();
        if ((what & SIGNALS_RELOAD) != 0)
            reload_and_notify(true);
        else if (watch_wait() == 0 && !snapshot_is_full())
            reload_and_notify(false);
        if (monotonic_now() >= next_files) {
            next_files = monotonic_now() + patience.files_every;
            reload_log_left_out();
            metrics_write(true);
            reload_write_status();
        }
    }
}
