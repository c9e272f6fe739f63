/*
 * service - the daemon while it runs: messages, reloads, the stop
 */
#ifndef MLMILTER_DAEMON_SERVICE_H
#define MLMILTER_DAEMON_SERVICE_H

#include "daemon/error_budget.h"
#include "daemon/gate.h"
#include "daemon/listener.h"
#include "daemon/notify.h"
#include "daemon/options.h"
#include "daemon/settings_in_force.h"
#include "daemon/watch.h"
#include "daemon/written/metrics.h"
#include "daemon/written/metrics_file.h"
#include "daemon/written/pid_file.h"
#include "daemon/written/status_file.h"
#include "milter/host.h"
#include "text/strbuf.h"

struct service {
    char *config_path; /* absolute; owned */
    struct start_keys keys;
    struct settings_in_force in_force;
    struct watch watch;
    struct settings *wrong; /* of a failed load, with `watch`; or NULL */
    struct strbuf told;     /* errors of the last load, as logged */
    struct error_budget budget;
    struct gate edits;   /* of messages, while they are sent */
    struct gate answers; /* to messages, while they are sent */
    struct pid_file pid_file;
    struct listener listener;
    struct metrics metrics;
    struct metrics_file metrics_file;
    struct status_file status_file;
    struct notify notify;
    struct milter_host host;
};

/* Initialises an empty service. */
void service_init(struct service *service);

/* Serves until a signal stops it; main thread. Returns the exit status. */
int service_run(struct service *service);

/* Removes the files of the daemon and frees. Returns false if libmilter's threads still decide
 * about a message; then their settings are not freed. */
bool service_free(struct service *service);

#endif
