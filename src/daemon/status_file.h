/*
 * status_file - the file that mlmilterctl reads: lines "KEY: VALUE" (mlmilter(8): FILES)
 *
 * Lies beside the pid file, whose lock says whether it is current: a daemon that was killed leaves
 * its own.  Mode 0600, as an error shows a piece of a file that others may not read.  Main thread.
 */
#ifndef MLMILTER_DAEMON_STATUS_FILE_H
#define MLMILTER_DAEMON_STATUS_FILE_H

#include "config/settings.h"
#include "text/span.h"

#include <stdbool.h>
#include <stdint.h>

/* Contents of the file; borrowed. */
struct status {
    const char *configuration;
    const char *socket;
    unsigned generation;
    const struct settings *settings; /* in force */
    struct span errors;              /* of the last load: lines, each with its line end */
    bool refused;                    /* the last load failed */
    int64_t load_time;               /* when it began, in seconds since 1970 */
    int64_t load_clock;              /* the same in nanoseconds of the monotonic clock */
};

/* Uses the file beside this pid file, which is locked. Removes that of an earlier daemon. */
void status_file_use(const char *pid_file);

/* Writes the file, if there is one. Logs a failure once. */
void status_file_write(const struct status *status);

void status_file_remove(void);

#endif
