/* Sleeping on a condition, with a limit. */
#include "daemon/wait_for_none.h"

#include <errno.h>
#include <time.h>

bool wait_for_none(const size_t *count, pthread_cond_t *none, pthread_mutex_t *mutex,
                   unsigned seconds)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)seconds;
    while (*count > 0)
        if (pthread_cond_timedwait(none, mutex, &until) == ETIMEDOUT)
            break;
    return *count == 0;
}
