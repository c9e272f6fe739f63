/*
 * signals - reload and stop, brought to the main thread
 *
 * Handlers set a flag and wake the main thread.  libmilter's own signal thread
 * gets nothing (libmilter/stop_signals.h).
 */
#ifndef MLMILTER_DAEMON_SIGNALS_H
#define MLMILTER_DAEMON_SIGNALS_H

#define SIGNALS_RELOAD 1u /* SIGHUP or SIGUSR1 */
#define SIGNALS_STOP   2u /* SIGTERM or SIGINT */
#define SIGNALS_INPUT  4u /* no signal: there is something to read from the descriptor */

/* Main thread, before any other thread is started. A connection that is gone and a file that may
 * not grow are errors from now on, not signals. 0 or -1 with errno. */
int signals_init(void);

/* Main thread: waits until something is to be done, there is input (descriptor; -1: none), or so
 * many milliseconds have gone (-1: for ever). SIGNALS_* that came since the last call, 0 after
 * signals_wake or when the time is over. Several reloads are one. */
unsigned signals_wait(int descriptor, int milliseconds);

/* Any thread: makes signals_wait return. */
void signals_wake(void);

#endif
