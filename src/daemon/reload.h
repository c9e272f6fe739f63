/*
 * reload - loads the configuration, logs its errors and puts it in force
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

/* Loads the configuration and logs each error as file:line: text, and hints if with_hints. Returns
 * NULL after an error, unless it is in a delegated file, which disables only its lists. */
struct settings *reload_load_once(const struct settings_request *request, bool with_hints);

/* Loads the configuration again. *told: in, the errors of the last load; out, of this one. *news:
 * true if they differ; only then errors are logged. budget: of lines about files of delegates;
 * NULL: unlimited. Returns as reload_load_once. */
struct settings *reload_load(const struct settings_request *request, struct strbuf *told,
                             bool *news, struct error_budget *budget);

/* Logs the number of lines that the budget left out, once its minute is over. */
void reload_log_untold(struct error_budget *budget);

/* Takes settings over and puts them in force. */
void reload_publish(struct service *service, struct settings *settings);

/* Watches the files of the settings in force, and of a later load that failed. */
void reload_watch(struct service *service);

/* Opens a new store of the settings in force, unless dry_run (RULINGS 72). Logs a failure. Takes at
 * most patience.store. */
void reload_try_store(struct service *service);

/* Writes the status file, with the settings in force and the result of the last load. */
void reload_write_status(struct service *service);

/* Loads the configuration and puts it in force; after an error the settings in force stay. asked:
 * by a signal. Without it, a file has changed, and errors are logged only if they are new. */
void reload(struct service *service, bool asked);

#endif
