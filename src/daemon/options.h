/*
 * options - the command line, and the keys that need a restart
 */
#ifndef MLMILTER_DAEMON_OPTIONS_H
#define MLMILTER_DAEMON_OPTIONS_H

#include "config/settings.h"

#include <stdbool.h>

struct options {
    bool foreground;         /* -f */
    bool check_only;         /* -n */
    const char *config_path; /* -c, or the default */
    const char *socket;      /* -p, or NULL */
};

enum options_result { OPTIONS_RUN, OPTIONS_DONE, OPTIONS_USAGE };

/* Reads the command line. Returns OPTIONS_RUN; OPTIONS_DONE after version or help was printed;
 * OPTIONS_USAGE after an error was printed. */
enum options_result options_parse(int argc, char **argv, struct options *options);

/* Keep the keys that need a restart, and log a warning if one of them was changed since. */
void start_keys_keep(const struct settings *settings);
void start_keys_compare(const struct settings *settings);

#endif
