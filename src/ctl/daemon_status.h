/*
 * daemon_status - whether a daemon runs, and its own report
 *
 * The lock of the pid file tells whether it runs, and its pid.  The status file is in the folder of
 * the pid file (mlmilter(8): FILES).  It counts only if the process that wrote it holds the lock.
 */
#ifndef MLMILTER_CTL_DAEMON_STATUS_H
#define MLMILTER_CTL_DAEMON_STATUS_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

enum daemon_found {
    DAEMON_RUNS,
    DAEMON_IS_NOT_THERE,
    DAEMON_IS_HIDDEN /* the pid file cannot be opened: errno in `error` */
};

struct daemon_status {
    enum daemon_found found;
    int error;
    pid_t pid;          /* of the process with the lock; 0 where the system does not tell */
    char *path;         /* of the status file; owned. NULL before the first read */
    struct strbuf text; /* of the status file; empty if another process wrote it */
};

/* Reads lock and status file. May be called again; daemon_status_free frees. */
void daemon_status_read(struct daemon_status *status, const char *pid_file);
void daemon_status_free(struct daemon_status *status);

/* Reports that no daemon was found, and what to type. Returns false if that is not certain. */
bool daemon_status_complain(const struct daemon_status *status, const char *pid_file);

/* Takes the next line "KEY: VALUE" from *rest. Returns false at the end. */
bool daemon_status_next(struct span *rest, struct span *key, struct span *value);

/* Returns the first value of a key; its p is NULL if the key is missing. */
struct span daemon_status_value(const struct daemon_status *status, const char *key);

#endif
