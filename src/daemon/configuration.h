/*
 * configuration - the loader's results as log lines, and the keys that only a start reads
 */
#ifndef MLMILTER_DAEMON_CONFIGURATION_H
#define MLMILTER_DAEMON_CONFIGURATION_H

#include "config/load.h"
#include "config/settings.h"
#include "daemon/error_budget.h"
#include "text/strbuf.h"

#include <stdbool.h>

/* Loads and logs each error as file:line: text, hints only with with_hints. NULL when there was an
 * error; one in a delegated file costs its lists only. */
struct settings *configuration_load(const struct settings_request *request, bool with_hints);

/* The same for whoever loads again and again. *told holds what was wrong the last time, and then
 * what is wrong now; *news: that is not the same, and what is wrong was logged. budget: of the
 * lines about files of delegates; NULL: somebody asked for all of them. */
struct settings *configuration_load_again(const struct settings_request *request,
                                          struct strbuf *told, bool *news,
                                          struct error_budget *budget);

/* Logs how many lines the budget has held back, of the delegates whose minute is over. */
void configuration_log_untold(struct error_budget *budget);

/* Keys that need a restart, as they were at the start; texts are owned. */
struct start_keys {
    char *socket;
    char *user;
    char *socket_group; /* NULL: none */
    char *pid_file;
    unsigned socket_mode;
    int syslog_facility;
};

/* 0, or -1: out of memory. */
int start_keys_copy(struct start_keys *keys, const struct settings *settings);
void start_keys_free(struct start_keys *keys);

/* Warns about each key that says something else now: the old value stays. */
void start_keys_compare(const struct start_keys *keys, const struct settings *settings);

#endif
