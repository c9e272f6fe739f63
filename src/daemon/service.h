/*
 * service - the daemon while it runs: messages, reloads, the stop
 */
#ifndef MLMILTER_DAEMON_SERVICE_H
#define MLMILTER_DAEMON_SERVICE_H

/* Serves until a signal stops it; main thread. Returns the exit status. */
int service_run(void);

#endif
