/*
 * reload - new settings take the place of those in force
 *
 * Main thread only.
 */
#ifndef MLMILTER_DAEMON_RELOAD_H
#define MLMILTER_DAEMON_RELOAD_H

#include "daemon/service.h"

#include <stdbool.h>

/* Takes settings over and makes them those in force. 0, or -1 when out of memory: then the caller
 * still owns them. */
int reload_publish(struct service *service, struct settings *settings);

/* Watches the files of the settings in force, and of those that were wrong since. */
void reload_watch(struct service *service);

/* Loads the configuration and publishes it, unless anything is wrong: then the settings in force
 * stay. asked: by a signal; else a file has changed, and what was said is not said again. */
void reload(struct service *service, bool asked);

#endif
