/*
 * log - one line at a time, to standard error or to syslog
 *
 * Octets that are not printable ASCII are shown as "?", so that nothing that came
 * by mail can make a second line.  Any thread may log, and once the start is over
 * none waits for a log that stands still (a pipe whose reader sleeps, a full disk, a
 * stopped syslogd): what it does not take, on standard error within
 * patience.log_room, is dropped, and later how many lines that were is said.
 */
#ifndef MLMILTER_DAEMON_LOG_H
#define MLMILTER_DAEMON_LOG_H

#include "config/settings.h"

#include <stdbool.h>

/* Where lines go. libmilter writes to syslog itself; while standard error is a place for lines,
 * libmilter's appear there, too. Where standard error is systemd's journal, which has libmilter's
 * from syslog, our lines begin with their priority. */
enum log_target {
    LOG_TARGET_STDERR, /* -f */
    LOG_TARGET_BOTH,   /* a daemon that starts: somebody may be watching */
    LOG_TARGET_SYSLOG
};

/* As a LOG_* value of <syslog.h>. */
int log_facility(enum syslog_facility facility);

/* facility is a LOG_* value of <syslog.h>. May be called again. */
void log_open(enum log_target target, int facility);

/* Before the end: what was logged is written, if that takes no more than patience.log_end. */
void log_close(void);

/* priority is LOG_INFO, LOG_WARNING or LOG_ERR. text is one line without a line end. */
void log_line(int priority, const char *text);
void log_printf(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
