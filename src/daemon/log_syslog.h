/*
 * log_syslog - writes lines to syslog without waiting for it
 *
 * syslog(3) waits while the system's log takes nothing (a stopped syslogd or
 * journald whose socket is full).  So a thread of its own calls it, and a line
 * that finds no room in its queue is dropped and counted.  Any thread.
 */
#ifndef MLMILTER_DAEMON_LOG_SYSLOG_H
#define MLMILTER_DAEMON_LOG_SYSLOG_H

/* Starts the thread, after the last fork. Returns 0, or -1 with errno; then lines are written at
 * once. */
int log_syslog_start(void);

void log_syslog_write(int priority, const char *line);

/* Waits until all lines are written, at most this many milliseconds. */
void log_syslog_drain(unsigned milliseconds);

#endif
