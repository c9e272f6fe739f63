/*
 * reload - from the files to the settings in force, and all that is said on the way
 *
 * Main thread only.
 */
#ifndef MLMILTER_DAEMON_RELOAD_H
#define MLMILTER_DAEMON_RELOAD_H

#include "config/load.h"
#include "daemon/error_budget.h"
#include "daemon/service.h"
#include "text/strbuf.h"

#include <stdbool.h>

/* Loads and logs each error as file:line: text, hints only with with_hints. NULL when there was an
 * error; one in a delegated file costs its lists only. */
struct settings *reload_load_once(const struct settings_request *request, bool with_hints);

/* Loads once more. *told holds what was wrong the last time, and then what is wrong now; *news:
 * that is not the same, and what is wrong was logged. budget: of the lines about files of
 * delegates; NULL: all of them are wanted. */
struct settings *reload_load(const struct settings_request *request, struct strbuf *told,
                             bool *news, struct error_budget *budget);

/* Logs the number of lines that the budget left out, once its minute is over. */
void reload_log_untold(struct error_budget *budget);

/* Takes settings over and puts them in force. */
void reload_publish(struct service *service, struct settings *settings);

/* Watches the files of the settings in force, and of those that were wrong since. */
void reload_watch(struct service *service);

/* Opens the store of the settings in force if they need one that is new, and may write (RULINGS
 * 72). A failure is logged; nothing else depends on it. A store that does not answer takes
 * patience.store. */
void reload_try_store(struct service *service);

/* Writes the status file, with what is in force and how the last load went. */
void reload_write_status(struct service *service);

/* Loads the configuration and publishes it, unless anything is wrong: then the settings in force
 * stay. asked: by a signal; else a file has changed, and what was said is not said again. */
void reload(struct service *service, bool asked);

#endif
