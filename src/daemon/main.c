/* mlmilter, the daemon: the command line and the main loop */
#include "config/load.h"
#include "config/read/faults.h"
#include "config/store_kinds.h"
#include "daemon/listener.h"
#include "daemon/log.h"
#include "daemon/reload.h"
#include "daemon/snapshot.h"
#include "daemon/start.h"
#include "daemon/starter.h"
#include "daemon/state_files.h"
#include "daemon/watch.h"
#include "libmilter/connection.h"
#include "store/store.h"
#include "system/monotonic.h"
#include "system/paths.h"
#include "system/signals.h"
#include "system/timeouts.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <syslog.h>
#include <unistd.h>

/* ---- the command line ---- */

static _Noreturn void print_usage(FILE *to, int status)
{
    fputs("usage: mlmilter [-f] [-n] [-c FILE] [-p SOCKET]\n"
          "       mlmilter -V | --version | -h | --help\n"
          "  -f         stay in the foreground, log to standard error\n"
          "  -n         check the configuration and exit: 0, or 78 with file:line: messages\n"
          "  -c FILE    the main configuration file (default " MAIN_FILE_DEFAULT ")\n"
          "  -p SOCKET  listen there in place of the configured socket\n"
          "  -V         print the version, and what is built in (also --version)\n"
          "  -h         print this help (also --help)\n",
          to);
    exit(status);
}

/* Checks -p by the rules of the key. */
static const char *check_socket(const char *socket)
{
    enum remark fault = socket_fault(span_cstr(socket));
    if (fault == REMARK_NONE)
        return socket;
    fprintf(stderr, "mlmilter: -p \"%s\": %s\n", socket, remarks[fault].text);
    exit(EX_USAGE);
}

/* Reads the command line. Ends the program after an error, the version or the help. */
static void read_options(int argc, char **argv, struct options *options)
{
    static const struct option names[] = {
        {"version", no_argument, NULL, 'V'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    int c;
    *options = (struct options){.config_path = MAIN_FILE_DEFAULT};
    while ((c = getopt_long(argc, argv, "fnc:p:Vh", names, NULL)) != -1) {
        switch (c) {
        case 'f':
            options->foreground = true;
            break;
        case 'n':
            options->check_only = true;
            break;
        case 'c':
            options->config_path = optarg;
            break;
        case 'p':
            options->socket = check_socket(optarg);
            break;
        case 'V':
            printf("mlmilter %s\n%s\n", PACKAGE_VERSION, built_in_features());
            exit(EX_OK);
        case 'h':
            print_usage(stdout, EX_OK);
        default:
            print_usage(stderr, EX_USAGE);
        }
    }
    if (optind < argc) {
        fprintf(stderr, "mlmilter: unexpected argument \"%s\"\n", argv[optind]);
        print_usage(stderr, EX_USAGE);
    }
}

/* ---- the main loop ---- */

#define NEWS_WAIT 100 /* ms from news to the status file: many probes are written together */

/* Reports the end of a start, or of a reload. */
static void notify_ready(void)
{
    const struct snapshot *now = snapshot_in_force();
    size_t lists = now->settings->index.count;
    starter_notify("READY=1\nSTATUS=Generation %u, %zu list%s%s", now->generation, lists,
                   lists == 1 ? "" : "s",
                   reload_has_errors() ? "; the configuration has errors" : "");
}

static void reload_and_notify(bool asked)
{
    if (asked)
        starter_notify("RELOADING=1\nMONOTONIC_USEC=%lld",
                       (long long)monotonic_nanoseconds() / 1000);
    reload(asked);
    notify_ready();
}

/* While messages hold two old settings a reload by `watch` waits for a time, and while they hold
 * eight, without end: else a delegate who saves files and begins messages could fill the memory
 * (RULINGS 101, 117). */
#define OLD_FEW  2
#define OLD_MANY 8

static bool reload_must_wait(void)
{
    size_t old = snapshot_count_old();
    return old >= OLD_MANY || (old >= OLD_FEW && watch_age() < timeouts.watch_held);
}

/* Returns the milliseconds until a reload by `watch` is due, but `most` at most. */
static int64_t time_to_reload(int64_t most)
{
    int left = watch_wait();
    if (left >= 0 && reload_must_wait())
        left = (int)timeouts.full;
    return left >= 0 && left < most ? left : most;
}

/* Waits for signals or changes of watched folders, until a moment or a reload that is due. Returns
 * the signals. */
static unsigned wait_for_input(int64_t until)
{
    unsigned input = signals_wait(watch_descriptor(), time_to_reload(until - monotonic_now()));
    watch_read();
    return input;
}

/* Serves until a signal stops it. */
static void serve(void)
{
    int64_t next_files = monotonic_now() + timeouts.files_every, next_status = 0;
    bool has_news = false; /* of the store, or a probe */
    unsigned input = 0;
    watch_folders_of(snapshot_in_force()->settings, true);
    notify_ready();
    while ((input & SIGNALS_STOP) == 0) {
        if ((input & SIGNALS_RELOAD) != 0)
            reload_and_notify(true);
        else if (time_to_reload(1) == 0)
            reload_and_notify(false);
        if (monotonic_now() >= next_files) {
            next_files = monotonic_now() + timeouts.files_every;
            reload_write_files(true);
        }
        if (has_news && monotonic_now() >= next_status) {
            next_status = monotonic_now() + timeouts.news;
            reload_write_status();
            has_news = false;
        }
        input = wait_for_input(has_news && next_status < next_files ? next_status : next_files);
        if ((input & SIGNALS_WAKE) != 0 && !has_news && next_status < monotonic_now() + NEWS_WAIT)
            next_status = monotonic_now() + NEWS_WAIT;
        has_news |= (input & SIGNALS_WAKE) != 0;
    }
}

/* Lets open messages end, and answers leave. New messages are deferred. */
static void stop(void)
{
    starter_notify("STOPPING=1\nSTATUS=Finishing open messages");
    if (!snapshot_stop(timeouts.finish_messages))
        log_line(LOG_INFO, "stopping: unfinished messages were left to the MTA to retry");
    monotonic_sleep(timeouts.finish_answers);
    if (!connection_wait_for_answers(timeouts.finish_edits))
        log_line(LOG_WARNING, "warning: an MTA does not take the answer to a message");
    reload_write_files(false);
    log_line(LOG_INFO, "stopped");
}

/* ---- the program ---- */

static void log_started(bool foreground)
{
    size_t lists = snapshot_in_force()->settings->index.count;
    log_printf(LOG_INFO, "mlmilter %s started: socket %s, %zu list%s", PACKAGE_VERSION,
               listener_socket(), lists, lists == 1 ? "" : "s");
    if (!foreground)
        log_open(LOG_TARGET_SYSLOG);
}

/* Ends without exit(): libmilter's threads still use what it would free (seen by the thread
 * sanitizer). */
static _Noreturn void run(struct options *options)
{
    int status = EX_OSERR;
    options->config_path = path_absolute(options->config_path);
    store_has_news = signals_wake;
    /* Signals first: a program that sees the pid file or the socket may send one. */
    if (options->config_path == NULL || signals_take() != 0)
        log_printf(LOG_ERR, "error: the start: %s", strerror(errno));
    else
        status = start_service(options);
    if (status == EX_OK) {
        log_started(options->foreground);
        if (!options->foreground && starter_detach() != 0)
            log_printf(LOG_WARNING, "warning: the terminal stays open: %s", strerror(errno));
        starter_report(EX_OK);
        serve();
        stop();
    }
    listener_remove();
    state_files_close();
    starter_report(status);
    _exit(status);
}

int main(int argc, char **argv)
{
    struct options options;
    if (starter_fill_descriptors() != 0) {
        fprintf(stderr, "mlmilter: error: /dev/null: %s\n", strerror(errno));
        return EX_OSERR;
    }
    read_options(argc, argv, &options);
    log_open(options.foreground || options.check_only ? LOG_TARGET_STDERR : LOG_TARGET_BOTH);
    if (options.check_only)
        return start_check(&options);
    if (!options.foreground && starter_leave() != 0) {
        log_printf(LOG_ERR, "error: no process can be created: %s", strerror(errno));
        return EX_OSERR;
    }
    run(&options);
}
