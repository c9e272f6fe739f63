/* Counts the messages whose edits are being sent. */
#include "daemon/gate.h"

#include <errno.h>
#include <string.h>
#include <time.h>

int gate_init(struct gate *gate)
{
    memset(gate, 0, sizeof *gate);
    if (pthread_mutex_init(&gate->mutex, NULL) != 0)
        return -1;
    if (pthread_cond_init(&gate->empty, NULL) != 0) {
        pthread_mutex_destroy(&gate->mutex);
        return -1;
    }
    return 0;
}

bool gate_enter(struct gate *gate)
{
    bool entered;

    pthread_mutex_lock(&gate->mutex);
    entered = !gate->shut;
    if (entered)
        gate->inside++;
    pthread_mutex_unlock(&gate->mutex);
    return entered;
}

void gate_leave(struct gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    if (--gate->inside == 0 && gate->shut)
        pthread_cond_broadcast(&gate->empty);
    pthread_mutex_unlock(&gate->mutex);
}

bool gate_shut(struct gate *gate, unsigned seconds)
{
    struct timespec until;
    bool empty;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)seconds;
    pthread_mutex_lock(&gate->mutex);
    gate->shut = true;
    while (gate->inside > 0)
        if (pthread_cond_timedwait(&gate->empty, &gate->mutex, &until) == ETIMEDOUT)
            break;
    empty = gate->inside == 0;
    pthread_mutex_unlock(&gate->mutex);
    return empty;
}
