/*
 * signals - signals for reload and stop, delivered to the main thread
 *
 * Handlers set a flag and wake the main thread.  libmilter's own signal thread
 * gets nothing (libmilter/stop_signals.h).
 */
#ifndef MLMILTER_DAEMON_SIGNALS_H
#define MLMILTER_DAEMON_SIGNALS_H

#define SIGNALS_RELOAD 1u /* SIGHUP or SIGUSR1 */
#define SIGNALS_STOP   2u /* SIGTERM or SIGINT */
#define SIGNALS_INPUT  4u /* no signal: there is something to read from the descriptor */

/* Sets the handlers, in the main thread, before other threads. SIGPIPE and SIGXFSZ are ignored, so
 * that writes fail with an error instead. Returns 0, or -1 with errno. */
int signals_init(void);

/* Waits in the main thread for signals, signals_wake, input on the descriptor (-1: none), or this
 * many milliseconds (-1: no limit). Returns the SIGNALS_* since the last call, or 0. Several
 * reloads count as one. */
unsigned signals_wait(int descriptor, int milliseconds);

/* Makes signals_wait return. Any thread. */
void signals_wake(void);

#endif
