/*
 * start - from the command line to a service that is ready
 */
#ifndef MLMILTER_DAEMON_START_H
#define MLMILTER_DAEMON_START_H

#include "daemon/options.h"
#include "daemon/service.h"

/* Reads the configuration, becomes the user, opens everything and starts libmilter. What is wrong
 * is logged. The exit status: 0, service is ready; else it is not, and service_free is due. */
int start_service(struct service *service, const struct options *options);

/* -n: is the configuration right? The exit status. */
int start_check(const struct options *options);

#endif
