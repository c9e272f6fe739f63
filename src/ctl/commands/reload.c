/*
 * mlmilterctl reload: SIGHUP, and the result.
 *
 * The daemon writes when its last load began. A load that began after this command did has read
 * every file as it was then or later, whichever signal asked for it.
 */
#include "ctl/commands/commands.h"
#include "ctl/daemon_status.h"
#include "ctl/load.h"
#include "ctl/output.h"
#include "system/monotonic.h"
#include "system/patience.h"
#include "text/number.h"
#include "text/visible.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* Reports errors as mlmilterctl check does. */
static void report_errors(const struct daemon_status *status)
{
    struct span rest = strbuf_span(&status->text);
    struct span key, value;
    struct strbuf lines = STRBUF_INIT;
    while (daemon_status_next(&rest, &key, &value)) {
        if (!span_eq(key, span_cstr("error")))
            continue;
        visible_add(&lines, value);
        strbuf_add_char(&lines, '\n');
    }
    fputs(strbuf_str(&lines), stderr);
    strbuf_free(&lines);
}

/* Prints "reloaded: generation 3, 12 lists". */
static int print_result(const struct daemon_status *status)
{
    struct span lists = daemon_status_value(status, "lists");
    struct strbuf line = STRBUF_INIT;
    report_errors(status);
    if (!span_eq(daemon_status_value(status, "load"), span_cstr("in force"))) {
        report_error("refused: the old configuration stays in force");
        return EXIT_NO;
    }
    strbuf_add_str(&line, "reloaded: generation ");
    visible_add(&line, daemon_status_value(status, "generation"));
    strbuf_add_str(&line, ", ");
    visible_add(&line, lists);
    strbuf_add_str(&line, span_eq(lists, span_cstr("1")) ? " list\n" : " lists\n");
    return print_and_free(&line, EX_OK);
}

/* True if a load has ended that began at that moment or later. */
static bool has_loaded(const struct daemon_status *status, int64_t since)
{
    uint64_t clock;
    return number_parse(daemon_status_value(status, "load-clock"), INT64_MAX, &clock) &&
           (int64_t)clock >= since;
}

static int wait_for_load(struct daemon_status *status, const char *pid_file, int64_t since)
{
    int64_t end = monotonic_now() + patience.reload;
    long pid = (long)status->pid;
    for (;;) {
        daemon_status_read(status, pid_file);
        if (has_loaded(status, since))
            return print_result(status);
        if (status->found != DAEMON_RUNS) {
            report_error("the daemon (pid %ld) has ended meanwhile", pid);
            return EX_OSERR;
        }
        if (monotonic_now() >= end)
            break;
        monotonic_sleep(patience.reload_look);
    }
    report_error("the daemon (pid %ld) has not said within %u s in %s how its reload went: see its "
                 "log",
                 pid, patience.reload / 1000, status->path);
    return EX_OSERR;
}

static int reload(const char *pid_file, struct daemon_status *status)
{
    int64_t since = monotonic_nanoseconds();
    daemon_status_read(status, pid_file);
    if (status->found != DAEMON_RUNS) {
        (void)daemon_status_complain(status, pid_file);
        return EX_OSERR;
    }
    if (status->pid == 0) /* kill(0) is for this process' own group */
        report_error("%s is locked by a process of another container: reload it there", pid_file);
    else if (kill(status->pid, SIGHUP) == 0)
        return wait_for_load(status, pid_file, since);
    else
        report_error("the daemon (pid %ld) cannot be signalled: %s%s", (long)status->pid,
                     strerror(errno),
                     errno == EPERM ? "; be root or its user: put sudo before the command" : "");
    return EX_OSERR;
}

int run_reload(const struct options *o)
{
    struct daemon_status status = {.path = NULL};
    char *pid_file = load_pid_file(o);
    if (pid_file == NULL)
        return EX_CONFIG;
    int result = reload(pid_file, &status);
    daemon_status_free(&status);
    free(pid_file);
    return result;
}
