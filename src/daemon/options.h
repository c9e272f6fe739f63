/*
 * options - what a start is told: the command line, and the keys that only a start heeds
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

/* Reads the command line. OPTIONS_DONE: the version or the help was printed. OPTIONS_USAGE: it was
 * wrong, standard error says how. */
enum options_result options_parse(int argc, char **argv, struct options *options);

/* Keys that need a restart, as they were at the start; texts are owned. */
struct start_keys {
    char *socket;
    char *user;
    char *socket_group; /* NULL: none */
    char *pid_file;
    unsigned socket_mode;
    int syslog_facility;
};

void start_keys_copy(struct start_keys *keys, const struct settings *settings);
void start_keys_free(struct start_keys *keys);

/* Warns about each key that says something else now: the old value stays. */
void start_keys_compare(const struct start_keys *keys, const struct settings *settings);

#endif
