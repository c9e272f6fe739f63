/*
 * daemon_status - does a daemon run, and what does it say of itself?
 *
 * The lock of its pid file says whether it runs, and with which pid; what it says
 * stands in the status file beside that (mlmilter(8): FILES), and is believed while
 * the lock is held by the process that wrote it.
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
    pid_t pid;              /* who has the lock; 0 where the system does not tell */
    struct timespec loaded; /* the time of the pid file, which a load that has ended sets */
    char *path;             /* of the status file; owned. NULL before the first read */
    struct strbuf text;     /* what stands in it; empty: nothing, or another process wrote it */
};

/* Looks; may be called again with the same object, which daemon_status_free frees. */
void daemon_status_read(struct daemon_status *status, const char *pid_file);
void daemon_status_free(struct daemon_status *status);

/* When none was found: says so, and what to type. true: there is none; false: it cannot be told. */
bool daemon_status_complain(const struct daemon_status *status, const char *pid_file);

/* The next line "KEY: VALUE" of the text, taken from *rest. false: there is none. */
bool daemon_status_next(struct span *rest, struct span *key, struct span *value);

/* The first value of a key; p is NULL when it is not there. */
struct span daemon_status_value(const struct daemon_status *status, const char *key);

#endif
