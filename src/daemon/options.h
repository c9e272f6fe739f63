/*
 * options - the command line
 */
#ifndef MLMILTER_DAEMON_OPTIONS_H
#define MLMILTER_DAEMON_OPTIONS_H

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

#endif
