/*
 * wait_for_none - waits until a count of users is 0
 */
#ifndef MLMILTER_SYSTEM_WAIT_FOR_NONE_H
#define MLMILTER_SYSTEM_WAIT_FOR_NONE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Waits until *count is 0, at most this many milliseconds. The mutex is held and guards *count. A
 * thread that sets it to 0 signals the condition (monotonic_cond_init). True if it is 0. */
bool wait_for_none(const size_t *count, pthread_cond_t *none, pthread_mutex_t *mutex,
                   unsigned milliseconds);

#endif
