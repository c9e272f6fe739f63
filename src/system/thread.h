/*
 * thread - threads that receive no signals
 */
#ifndef MLMILTER_SYSTEM_THREAD_H
#define MLMILTER_SYSTEM_THREAD_H

#include <pthread.h>

/* Starts a thread with all signals blocked (daemon/signals.h waits for them). The caller joins it;
 * with NULL it is detached. Any thread. Returns 0, or -1 with errno. */
int thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument);

#endif
