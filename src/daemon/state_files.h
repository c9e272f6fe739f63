/*
 * state_files - the pid file, and the status file in its folder
 *
 * The pid file stays open and locked while the daemon lives, so that there is one daemon for each;
 * its time shows that a reload ended.  An empty one stays after a stop.  The lock also says whether
 * the status file is current, which a killed daemon leaves behind.  Only root and the daemon may
 * read them: a reader could lock the pid file, and the status file shows pieces of files.
 *
 * Main thread.
 */
#ifndef MLMILTER_DAEMON_STATE_FILES_H
#define MLMILTER_DAEMON_STATE_FILES_H

#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Opens, locks and writes the pid file, and deletes the status file of an earlier daemon. The pid
 * file must belong to this process, to root or to `user`, as its owner decides which process a stop
 * script ends. Returns 0; 1 if the process *holder (0: unknown) has locked it; or -1 with *error
 * (static, or of strerror). */
int state_files_open(const char *pid_file, uid_t user, pid_t *holder, const char **error);

/* The last load of the configuration. */
struct load_report {
    const char *path;    /* of the main file */
    bool is_refused;     /* the settings in force stay */
    int64_t time;        /* when it began, in seconds since 1970 */
    int64_t clock;       /* when it began, in nanoseconds of the monotonic clock */
    const char *warning; /* of what only a restart puts in force, or NULL */
    size_t errors;
    size_t delegated_wrong; /* files of delegates, of the last load that was not refused */
    struct strbuf lines;    /* "error: " and an error each, as many as have room */
};

/* Writes the status file, if there is one: lines "KEY: VALUE" (mlmilter(8): FILES) about the load
 * and the snapshot in force. Logs a failure once. */
void state_files_write_status(const struct load_report *load);

/* Sets the time of the pid file, if there is one; needs no rights. */
void state_files_touch(void);

/* Empties the pid file and deletes the status file. */
void state_files_close(void);

#endif
