/*
 * start - the steps of a start, and the check of `mlmilter -n`
 *
 * Root reads the main file, creates directories, opens the pid file and the socket, and becomes the
 * user for good.  The user reads everything, at the start as on each reload.
 */
#ifndef MLMILTER_DAEMON_START_H
#define MLMILTER_DAEMON_START_H

#include <stdbool.h>

struct options {
    bool foreground;         /* -f */
    bool check_only;         /* -n */
    const char *config_path; /* -c, or the default */
    const char *socket;      /* -p, or NULL */
};

/* Checks the configuration as a start does. Returns 0 or an exit status. */
int start_check(const struct options *options);

/* Starts everything. Returns 0 or an exit status. */
int start_service(const struct options *options);

#endif
