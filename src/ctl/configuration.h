/*
 * configuration - loads the settings, or reports why not
 */
#ifndef MLMILTER_CTL_CONFIGURATION_H
#define MLMILTER_CTL_CONFIGURATION_H

#include "config/load.h"
#include "config/report/diagnostics.h"
#include "config/settings.h"
#include "ctl/command.h"

/* Loads the whole configuration, for settings_free. Returns NULL after its errors were reported on
 * standard error (the exit status is EX_CONFIG then). */
struct settings *configuration_load(const struct invocation *invocation, enum key_reading keys);

/* Loads the configuration as configuration_load does; the observer sees each list. */
struct settings *configuration_observe(const struct invocation *invocation,
                                       const struct list_observer *observer);

/* Returns the configured pid file, for free(), even if the rest of the configuration is wrong.
 * Returns NULL after a message (the exit status is EX_CONFIG then). */
char *configuration_pid_file(const struct invocation *invocation);

/* Returns the list of that id, or NULL after a message (the exit status is EXIT_NO then). */
const struct list *configuration_find_list(const struct settings *settings, const char *id);

/* Returns the list of that id, address or alias, or NULL as configuration_find_list. */
const struct list *configuration_find_any(const struct settings *settings, const char *name);

enum report_extent {
    REPORT_ERRORS, /* errors that keep the configuration from being used */
    REPORT_ALL     /* also errors of delegated files, then hints */
};

/* Reports what was found on standard error, one line each. */
void configuration_report(const struct diagnostics *diagnostics, enum report_extent extent);

#endif
