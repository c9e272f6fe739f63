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
    struct settings *wrong; /* of the last load, with `watch`; NULL: it was right */
    struct strbuf told;     /* what was wrong with the configuration, as it was logged */
    struct error_budget budget;
    struct gate edits;   /* a message's, that are being sent */
    struct gate answers; /* to messages, that are being sent */
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

/* Main thread: serves until it is told to stop. The exit status. */
int service_run(struct service *service);

/* Removes what a daemon leaves behind, and frees. false: libmilter's threads still decide about a
 * message, and their settings were not freed. */
bool service_free(struct service *service);

#endif
