/* monotonic - see monotonic.h */
#include "system/monotonic.h"

#include "text/memory.h"

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

static struct timespec in_milliseconds(int64_t n)
{
    return (struct timespec){(time_t)(n / 1000), (long)(n % 1000) * 1000000};
}

void monotonic_sleep(unsigned milliseconds)
{
    struct timespec t = in_milliseconds(milliseconds);
    nanosleep(&t, NULL);
}

void monotonic_cond_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    if (pthread_condattr_init(&monotonic) != 0 ||
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) != 0 ||
        pthread_cond_init(condition, &monotonic) != 0)
        memory_exhausted(); /* the only reason for these calls to fail */
    pthread_condattr_destroy(&monotonic);
}

struct timespec monotonic_deadline(unsigned milliseconds)
{
    return in_milliseconds(monotonic_now() + milliseconds);
}
