/* mlmilter: the daemon. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/background.h"
#include "daemon/log.h"
#include "daemon/options.h"
#include "daemon/service.h"
#include "daemon/start.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <syslog.h>
#include <unistd.h>

/* Static, since libmilter's threads use it to the very end of the process. */
static struct service service;

static void log_start(void)
{
    size_t lists = settings_in_force_list_count(&service.in_force);
    log_printf(LOG_INFO, "mlmilter %s started: socket %s, %zu list%s", PACKAGE_VERSION,
               service.listener.connection, lists, lists == 1 ? "" : "s");
}

/* Of the leak sanitizer; not there in a usual build. */
extern void __lsan_do_leak_check(void) __attribute__((weak));

/* Not by exit(): libmilter's threads run on, and what it and libcrypto clean up then would go away
 * under them (seen by the thread sanitizer: libmilter destroys its lock). */
static _Noreturn void leave(int status, bool idle)
{
    log_close();
    if (idle && __lsan_do_leak_check != NULL)
        __lsan_do_leak_check();
    _exit(status);
}

static _Noreturn void run(const struct options *options)
{
    int status;
    bool idle;
    service_init(&service);
    status = start_service(&service, options);
    if (status == EX_OK) {
        log_start();
        if (!options->foreground) {
            log_open(LOG_TARGET_SYSLOG, service.keys.syslog_facility);
            if (background_detach() != 0)
                log_printf(LOG_WARNING, "warning: standard descriptors stay open: %s",
                           strerror(errno));
        }
        background_report(EX_OK);
        status = service_run(&service);
    }
    idle = service_free(&service);
    background_report(status);
    leave(status, idle);
}

int main(int argc, char **argv)
{
    struct options options;
    if (background_fill_descriptors() != 0) {
        fprintf(stderr, "mlmilter: error: /dev/null: %s\n", strerror(errno));
        return EX_OSERR;
    }
    switch (options_parse(argc, argv, &options)) {
    case OPTIONS_RUN:
        break;
    case OPTIONS_DONE:
        return EX_OK;
    case OPTIONS_USAGE:
        return EX_USAGE;
    }
    log_open(options.foreground || options.check_only ? LOG_TARGET_STDERR : LOG_TARGET_BOTH,
             LOG_MAIL);
    if (options.check_only)
        return start_check(&options);
    if (!options.foreground && background_start() != 0) {
        log_printf(LOG_ERR, "error: no process can be made: %s", strerror(errno));
        return EX_OSERR;
    }
    run(&options);
}
