/* monotonic - see monotonic.h */
#include "system/monotonic.h"

int64_t monotonic_now(void)
{
    struct timespec now = {0, 0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct timespec duration(unsigned milliseconds)
{
    return (struct timespec){(time_t)(milliseconds / 1000), (long)(milliseconds % 1000) * 1000000};
}

void monotonic_sleep(unsigned milliseconds)
{
    struct timespec t = duration(milliseconds);

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

struct timespec monotonic_deadline(unsigned milliseconds)
{
    struct timespec left = duration(milliseconds);
    struct timespec t = {0, 0};

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += left.tv_sec;
    t.tv_nsec += left.tv_nsec;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}
