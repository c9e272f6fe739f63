/*
 * configuration - the settings, or the reasons why there are none
 */
#ifndef MLMILTER_CTL_CONFIGURATION_H
#define MLMILTER_CTL_CONFIGURATION_H

#include "config/load.h"
#include "config/report/diagnostics.h"
#include "config/settings.h"
#include "ctl/command.h"

/* Loads the whole configuration. NULL after its errors were said on standard error (the exit status
 * is EX_CONFIG then). The caller frees with settings_free. */
struct settings *configuration_load(const struct invocation *invocation, enum key_reading keys);

/* The same, and somebody looks on. */
struct settings *configuration_observe(const struct invocation *invocation,
                                       const struct list_observer *observer);

/* The pid file that the configuration names, even if the rest of it is wrong; the caller frees.
 * NULL after a message (the exit status is EX_CONFIG then). */
char *configuration_pid_file(const struct invocation *invocation);

/* The list of that id; NULL after a message (the exit status is EXIT_NO then). */
const struct list *configuration_find_list(const struct settings *settings, const char *id);

/* The list of that id, address or alias; else as above. */
const struct list *configuration_find_any(const struct settings *settings, const char *name);

enum report_extent {
    REPORT_ERRORS, /* what keeps the configuration from being used */
    REPORT_ALL     /* also what is wrong with delegated files, then hints */
};

/* Says what was found, on standard error, one line each. */
void configuration_report(const struct diagnostics *diagnostics, enum report_extent extent);

#endif
