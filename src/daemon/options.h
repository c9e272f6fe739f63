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

/* Keys that need a restart, with their values at the start. Owns the texts. */
struct start_keys {
    char *socket;
    char *user;
    char *socket_group; /* NULL: none */
    char *pid_file;
    unsigned socket_mode;
    int syslog_facility;
};

/* Copies the keys from the settings. */
void start_keys_copy(struct start_keys *keys, const struct settings *settings);
void start_keys_free(struct start_keys *keys);

/* Logs a warning for each key whose value was changed. */
void start_keys_compare(const struct start_keys *keys, const struct settings *settings);

#endif
