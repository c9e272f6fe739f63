/*
 * start - from the command line to a service that is ready
 */
#ifndef MLMILTER_DAEMON_START_H
#define MLMILTER_DAEMON_START_H

#include "daemon/options.h"
#include "daemon/service.h"

/* Reads the configuration, becomes the user, opens all files and starts libmilter. Logs errors.
 * Returns 0 if the service is ready, or an exit status; then call service_free. */
int start_service(struct service *service, const struct options *options);

/* Checks the configuration, for -n. Returns the exit status. */
int start_check(const struct options *options);

#endif
