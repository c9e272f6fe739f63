/*
 * signals - reload and stop, brought to the main thread
 *
 * libmilter has a thread of its own that waits for SIGHUP, SIGTERM and SIGINT and
 * takes each of them as "stop".  Linux gives a signal to the main thread unless
 * that blocks it or has another one to take: then it is libmilter's (measured: of
 * SIGUSR1 and SIGHUP in one moment the second in half of 20,000 pairs; under the
 * thread sanitizer, which blocks all while a handler runs, any burst).  So
 * handlers in the main thread alone do not do: this module also defines sigwait,
 * which never returns where it is to wait for SIGTERM, as libmilter's thread does.
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
