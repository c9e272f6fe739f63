/* Sleeping on a condition, with a limit that does not move when somebody sets the clock. */
#include "system/wait_for_none.h"

#include "system/monotonic.h"

#include <errno.h>
#include <time.h>

bool wait_for_none(const size_t *count, pthread_cond_t *none, pthread_mutex_t *mutex,
                   unsigned milliseconds)
{
    const struct timespec until = monotonic_deadline(milliseconds);
    while (*count > 0)
        if (pthread_cond_timedwait(none, mutex, &until) == ETIMEDOUT)
            break;
    return *count == 0;
}
