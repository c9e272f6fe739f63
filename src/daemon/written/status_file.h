/*
 * status_file - what mlmilterctl status and reload read: lines "KEY: VALUE" (mlmilter(8): FILES)
 *
 * pid, version, configuration, socket, started, written (the file), generation, lists; of the last
 * load: load ("in force" or "refused"), load-time (when it began), load-clock (the same in
 * nanoseconds of the monotonic clock), errors (how many), and an "error" for each while there is
 * room.  Times are UTC.  More keys may come.
 *
 * Lies beside the pid file, whose lock alone says whether it is to be believed: a
 * daemon that was killed leaves its own.  Only who may read the pid file may read it:
 * an error shows a piece of a file that others may not read.  Written as metrics_file
 * is: while its disk hangs, reloads and a stop wait, mail does not.  Main thread only.
 */
#ifndef MLMILTER_DAEMON_WRITTEN_STATUS_FILE_H
#define MLMILTER_DAEMON_WRITTEN_STATUS_FILE_H

#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is a good start: no file. */
struct status_file {
    char *path;                              /* NULL: none; owned */
    int64_t written;                         /* tried last, in milliseconds (system/monotonic.h) */
    int64_t load_time;                       /* when the last load began, in seconds since 1970 */
    int64_t load_clock;                      /* the same in nanoseconds of the monotonic clock */
    int64_t beginning_time, beginning_clock; /* of a load that has not ended */
    bool refused;                            /* the last load failed */
    bool failing;                            /* the last write failed, and that was logged */
};

/* Contents of the file; borrowed. */
struct status {
    const char *configuration;
    const char *socket;
    int64_t started; /* seconds since 1970 */
    unsigned generation;
    size_t lists;
    struct span errors; /* of the last load: lines, each with its line end */
};

/* Uses the file beside this pid file, which is locked. Removes the file of an earlier daemon. */
void status_file_use(struct status_file *file, const char *pid_file);

/* Note the begin and the end of a load, and whether its settings are in force. */
void status_file_begin_load(struct status_file *file);
void status_file_end_load(struct status_file *file, bool in_force);

/* Writes the file, if there is one. Logs a failure once. */
void status_file_write(struct status_file *file, const struct status *status);

/* Returns the milliseconds until the file is due again, or -1 without file. */
int status_file_wait(const struct status_file *file);

void status_file_remove(struct status_file *file);

#endif
