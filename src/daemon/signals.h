/*
 * signals - signals for reload and stop, read by the main thread
 *
 * All threads block them, so they wait in a descriptor (signalfd(2)).
 */
#ifndef MLMILTER_DAEMON_SIGNALS_H
#define MLMILTER_DAEMON_SIGNALS_H

#define SIGNALS_RELOAD 1u /* SIGHUP or SIGUSR1 */
#define SIGNALS_STOP   2u /* SIGTERM or SIGINT */
#define SIGNALS_INPUT  4u /* no signal: the descriptor can be read */

/* Blocks the signals, before other threads start, and opens the descriptor. SIGPIPE and SIGXFSZ are
 * ignored, so that writes fail with an error instead. Returns 0, or -1 with errno. */
int signals_init(void);

/* Waits in the main thread for signals, input on the descriptor (-1: none), or this many
 * milliseconds. Returns SIGNALS_*, or 0. Several reloads count as one. */
unsigned signals_wait(int descriptor, int milliseconds);

#endif
