/*
 * monotonic - time and waits by CLOCK_MONOTONIC, which is never set
 *
 * Any thread.
 */
#ifndef MLMILTER_SYSTEM_MONOTONIC_H
#define MLMILTER_SYSTEM_MONOTONIC_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* Returns CLOCK_MONOTONIC in milliseconds, and in nanoseconds. */
int64_t monotonic_now(void);
int64_t monotonic_nanoseconds(void);

void monotonic_sleep(unsigned milliseconds);

/* Initialises a condition for pthread_cond_timedwait with this clock. */
void monotonic_cond_init(pthread_cond_t *condition);

/* Returns the end of so many milliseconds from now, for pthread_cond_timedwait. */
struct timespec monotonic_deadline(unsigned milliseconds);

#endif
