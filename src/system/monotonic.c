/* monotonic - see monotonic.h */
#include "system/monotonic.h"

int64_t monotonic_nanoseconds(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t monotonic_now(void)
{
    return monotonic_nanoseconds() / 1000000;
}

void monotonic_sleep(unsigned milliseconds)
{
    struct timespec t = monotonic_at(milliseconds);
    nanosleep(&t, NULL);
}

int monotonic_cond_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    int failed = pthread_condattr_init(&monotonic);
    if (failed != 0)
        return failed;
    failed = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    if (failed == 0)
        failed = pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return failed;
}

struct timespec monotonic_at(int64_t moment)
{
    return (struct timespec){(time_t)(moment / 1000), (long)(moment % 1000) * 1000000};
}

struct timespec monotonic_deadline(unsigned milliseconds)
{
    return monotonic_at(monotonic_now() + milliseconds);
}
