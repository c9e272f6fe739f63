/* mlmilter: the daemon. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/background.h"
#include "daemon/listener.h"
#include "daemon/log.h"
#include "daemon/options.h"
#include "daemon/pid_file.h"
#include "daemon/service.h"
#include "daemon/snapshot.h"
#include "daemon/start.h"
#include "daemon/status_file.h"
#include "system/paths.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <syslog.h>
#include <unistd.h>

static int serve(bool foreground, int facility)
{
    size_t lists = snapshot_in_force()->settings->index.count;
    log_printf(LOG_INFO, "mlmilter %s started: socket %s, %zu list%s", PACKAGE_VERSION,
               listener_socket(), lists, lists == 1 ? "" : "s");
    if (!foreground) {
        log_open(LOG_TARGET_SYSLOG, facility);
        if (background_detach() != 0)
            log_printf(LOG_WARNING, "warning: standard descriptors stay open: %s", strerror(errno));
    }
    background_report(EX_OK);
    return service_run();
}

/* Ends without exit(): libmilter's threads still use what it would free (seen by the thread
 * sanitizer). */
static _Noreturn void run(struct options *options)
{
    int facility = LOG_MAIL, status = EX_OSERR;
    options->config_path = path_absolute(options->config_path);
    if (options->config_path == NULL)
        log_printf(LOG_ERR, "error: the current directory: %s", strerror(errno));
    else
        status = start_service(options, &facility);
    if (status == EX_OK)
        status = serve(options->foreground, facility);
    listener_remove();
    status_file_remove();
    pid_file_clear();
    background_report(status);
    _exit(status);
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
