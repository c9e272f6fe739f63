/*
 * thread - a thread that no signal comes to
 */
#ifndef MLMILTER_DAEMON_THREAD_H
#define MLMILTER_DAEMON_THREAD_H

/* Starts it, detached: signals are the main thread's (daemon/signals.h). 0 or -1 with errno. */
int thread_start(void *(*run)(void *argument), void *argument);

#endif
