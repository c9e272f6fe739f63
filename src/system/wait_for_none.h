/*
 * wait_for_none - sleeping until nobody uses a thing any more
 */
#ifndef MLMILTER_SYSTEM_WAIT_FOR_NONE_H
#define MLMILTER_SYSTEM_WAIT_FOR_NONE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* A condition for wait_for_none, which no other will do: its clock is the one that nobody sets.
 * 0, or -1 with errno. */
int wait_for_none_init(pthread_cond_t *none);

/* With the mutex held, which guards *count: waits until *count is 0, at most this many
 * milliseconds. What brings it down to 0 signals the condition. Says whether it is 0. */
bool wait_for_none(const size_t *count, pthread_cond_t *none, pthread_mutex_t *mutex,
                   unsigned milliseconds);

#endif
