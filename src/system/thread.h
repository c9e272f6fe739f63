/*
 * thread - a thread that no signal comes to
 *
 * small: one function, which every floor that has threads calls.
 */
#ifndef MLMILTER_SYSTEM_THREAD_H
#define MLMILTER_SYSTEM_THREAD_H

#include <pthread.h>

/* Starts it: signals are for the thread that waits for them (daemon/signals.h). It is the caller's
 * to join; with NULL it is detached. 0, or -1 with errno. Any thread. */
int thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument);

#endif
