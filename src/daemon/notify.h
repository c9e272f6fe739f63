/*
 * notify - reports the state to the service manager (sd_notify(3))
 *
 * A report is a datagram of NAME=VALUE lines to the UNIX socket that NOTIFY_SOCKET names.  Without
 * that variable nothing is sent.
 */
#ifndef MLMILTER_DAEMON_NOTIFY_H
#define MLMILTER_DAEMON_NOTIFY_H

/* Sends lines in one datagram. The last line has no line end. Logs a failure. */
void notify_send(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
