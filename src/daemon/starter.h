/*
 * starter - reports to the process that started the daemon: a shell, or a service manager
 *
 * In the background the starter waits until the daemon is ready.  A service manager names a socket
 * in NOTIFY_SOCKET (sd_notify(3)); without that variable it gets no report.
 */
#ifndef MLMILTER_DAEMON_STARTER_H
#define MLMILTER_DAEMON_STARTER_H

#include <stdbool.h>

/* Opens /dev/null in place of closed standard descriptors, before anything else is opened. So no
 * log line can end in the pid file or a socket. Returns 0, or -1 with errno. */
int starter_fill_descriptors(void);

/* Forks. The parent waits for starter_report and exits with its status. The child continues in its
 * own session and keeps standard error. Returns 0 in the child, or -1 with errno. */
int starter_leave(void);

/* Reports to the parent, once: 0 if the child is ready, or its exit status. Does nothing without
 * starter_leave. */
void starter_report(int status);

/* Changes to the directory / and opens /dev/null as standard descriptors. Returns 0, or -1 with
 * errno. */
int starter_detach(void);

/* True if a service manager started the daemon. */
bool starter_is_manager(void);

/* Sends lines NAME=VALUE to the service manager. The last one has no line end. Logs a failure. */
void starter_notify(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
