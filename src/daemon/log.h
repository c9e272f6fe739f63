/*
 * log - one line at a time, to standard error or to syslog
 *
 * Bytes that are not printable ASCII become "?", so that no mail can cause a second line.  Any
 * thread.  A log that takes nothing stops the caller, as it stops an MTA.
 */
#ifndef MLMILTER_DAEMON_LOG_H
#define MLMILTER_DAEMON_LOG_H

#include "config/settings.h"

/* Targets of lines. libmilter writes to syslog; with standard error as target its lines appear
 * there, too. In systemd's journal lines on standard error begin with their priority. */
enum log_target {
    LOG_TARGET_STDERR, /* -f */
    LOG_TARGET_BOTH,   /* a daemon that starts: a person may be watching */
    LOG_TARGET_SYSLOG
};

/* Sets the facility for log_open: the number of its word in config/read/schema.c. Main thread. */
void log_set_facility(int facility);

/* Sets the target. Main thread. */
void log_open(enum log_target target);

/* Logs one line without line end. priority is LOG_INFO, LOG_WARNING or LOG_ERR. */
void log_line(int priority, const char *text);
void log_printf(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Logs an error that one configuration repeats for each message, "error: " before it, unless it was
 * logged within the last minute. */
void log_repeated_error(const char *text);

#endif
