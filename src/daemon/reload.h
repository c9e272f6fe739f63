/*
 * reload - loads the configuration, logs its errors and puts it in force
 *
 * Main thread.
 */
#ifndef MLMILTER_DAEMON_RELOAD_H
#define MLMILTER_DAEMON_RELOAD_H

#include "config/load.h"

#include <stdbool.h>

/* Loads the configuration and logs each error, and hint, as file:line: text. Returns NULL after an
 * error, unless it is in a delegated file, which disables only its lists. */
struct settings *reload_read(const struct settings_request *request);

/* Loads the configuration of a start, and puts it in force. Returns 0 or an exit status. */
int reload_first(const char *config_path);

/* Loads the configuration again and puts it in force; after an error the settings in force stay.
 * asked: by a signal. If not, a file has changed: equal settings are not put in force, and lines
 * about files of delegates are limited. */
void reload(bool asked);

/* Write the files of metrics and status, or the status alone. up: false at the end. */
void reload_write_files(bool up);
void reload_write_status(void);

/* True if the last load found errors. */
bool reload_has_errors(void);

#endif
