/*
 * mlmilterctl reload: SIGHUP, and what came of it.
 *
 * The daemon says when its last load began. One that began after this command did has
 * read every file as it was then or later; whether it was our signal or another's that
 * asked for it, and whether that was faster than we looked, does not matter.
 */
#include "ctl/commands/commands.h"
#include "ctl/configuration.h"
#include "ctl/daemon_status.h"
#include "ctl/report.h"
#include "system/monotonic.h"
#include "system/patience.h"
#include "text/number.h"
#include "text/visible.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* As mlmilterctl check does. */
static void say_errors(const struct daemon_status *status)
{
    struct span rest = strbuf_span(&status->text);
    struct span key, value;
    struct strbuf line = STRBUF_INIT;
    while (daemon_status_next(&rest, &key, &value)) {
        if (!span_eq(key, span_cstr("error")))
            continue;
        strbuf_reset(&line);
        visible_add(&line, value);
        fprintf(stderr, "%s\n", strbuf_str(&line));
    }
    strbuf_free(&line);
}

/* "reloaded: generation 3, 12 lists" on standard output; what is wrong on standard error. */
static int tell(const struct daemon_status *status)
{
    struct span generation = daemon_status_value(status, "generation");
    struct span lists = daemon_status_value(status, "lists");
    struct strbuf line = STRBUF_INIT;
    say_errors(status);
    if (!span_eq(daemon_status_value(status, "load"), span_cstr("in force"))) {
        report_error("refused: the old configuration stays in force");
        return EXIT_NO;
    }
    strbuf_add_str(&line, "reloaded: generation ");
    visible_add(&line, generation);
    strbuf_add_str(&line, ", ");
    visible_add(&line, lists);
    strbuf_add_str(&line, span_eq(lists, span_cstr("1")) ? " list\n" : " lists\n");
    return write_and_free(&line);
}

/* Has a load ended that began at that moment or later? */
static bool has_loaded(const struct daemon_status *status, int64_t since)
{
    uint64_t clock;
    return number_parse(daemon_status_value(status, "load-clock"), INT64_MAX, &clock) &&
           (int64_t)clock >= since;
}

static bool is_same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static int wait_for_load(struct daemon_status *status, const char *pid_file, int64_t since)
{
    int64_t end = monotonic_now() + patience.reload;
    struct timespec before = status->loaded;
    pid_t asked = status->pid;
    for (;;) {
        daemon_status_read(status, pid_file);
        if (has_loaded(status, since))
            return tell(status);
        if (status->found != DAEMON_RUNS) {
            report_error("the daemon (pid %ld) has ended meanwhile", (long)asked);
            return EX_OSERR;
        }
        /* The daemon writes the file before it sets the time; we looked at the time before the
         * file. */
        if (status->text.len == 0 && !is_same_time(status->loaded, before)) {
            report_error("the daemon (pid %ld) has reloaded, but cannot write %s: its log says how "
                         "it went",
                         (long)asked, status->path);
            return EX_OSERR;
        }
        if (monotonic_now() >= end)
            break;
        monotonic_sleep(patience.reload_look);
    }
    report_error("the daemon (pid %ld) has not said within %u s in %s how its reload went: see its "
                 "log",
                 (long)asked, patience.reload / 1000, status->path);
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
    if (status->pid == 0) {
        report_error("%s is locked by a process of another container: reload it there", pid_file);
        return EX_OSERR;
    }
    if (kill(status->pid, SIGHUP) == 0)
        return wait_for_load(status, pid_file, since);
    report_error("the daemon (pid %ld) cannot be signalled: %s%s", (long)status->pid,
                 strerror(errno),
                 errno == EPERM ? "; be root or its user: put sudo before the command" : "");
    return EX_OSERR;
}

static int run_reload(struct invocation *invocation, int argc, char **argv)
{
    struct daemon_status status = {.path = NULL};
    char *pid_file;
    int result;
    if (command_option(invocation, NULL, OPTIONS_ANYWHERE, argc, argv, &result) == COMMAND_ENDS)
        return result;
    if (optind < argc)
        return usage_error(invocation);
    pid_file = configuration_pid_file(invocation);
    if (pid_file == NULL)
        return EX_CONFIG;
    result = reload(pid_file, &status);
    daemon_status_free(&status);
    free(pid_file);
    return result;
}

const struct command command_reload = {
    "reload", run_reload,
    "  reload\n"
    "          have the daemon read its configuration again, and say what came of it\n"};
