/* Sleeping on a condition, with a limit that does not move when somebody sets the clock. */
#include "daemon/wait_for_none.h"

#include <errno.h>
#include <time.h>

int wait_for_none_init(pthread_cond_t *none)
{
    pthread_condattr_t monotonic;
    int result = pthread_condattr_init(&monotonic);

    if (result == 0) {
        result = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        if (result == 0)
            result = pthread_cond_init(none, &monotonic);
        pthread_condattr_destroy(&monotonic);
    }
    errno = result;
    return result == 0 ? 0 : -1;
}

bool wait_for_none(const size_t *count, pthread_cond_t *none, pthread_mutex_t *mutex,
                   unsigned seconds)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)seconds;
    while (*count > 0)
        if (pthread_cond_timedwait(none, mutex, &until) == ETIMEDOUT)
            break;
    return *count == 0;
}
