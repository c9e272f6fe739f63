/*
 * log - one line at a time, to standard error or to syslog
 *
 * Bytes that are not printable ASCII become "?", so that no mail can cause a second
 * line.  Any thread.  After the start no thread waits for a stalled log (a pipe
 * without reader, a full disk, a stopped syslogd).  Lines without room, on standard
 * error within patience.log_room, are dropped and later counted in a line.
 */
#ifndef MLMILTER_DAEMON_LOG_H
#define MLMILTER_DAEMON_LOG_H

#include "config/settings.h"

#include <stdbool.h>

/* Targets of lines. libmilter writes to syslog; with standard error as target, its lines appear
 * there, too. In systemd's journal lines on standard error begin with their priority. */
enum log_target {
    LOG_TARGET_STDERR, /* -f */
    LOG_TARGET_BOTH,   /* a daemon that starts: a person may be watching */
    LOG_TARGET_SYSLOG
};

/* Returns the LOG_* value of <syslog.h>. */
int log_facility(enum syslog_facility facility);

/* Sets target and facility, a LOG_* value of <syslog.h>. May be called again. */
void log_open(enum log_target target, int facility);

/* Writes queued lines before the end, for at most patience.log_end. */
void log_close(void);

/* Logs one line without line end. priority is LOG_INFO, LOG_WARNING or LOG_ERR. */
void log_line(int priority, const char *text);
void log_printf(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
