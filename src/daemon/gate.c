/* Counts those that are inside. */
#include "daemon/gate.h"

#include "system/monotonic.h"
#include "system/wait_for_none.h"

#include <string.h>

void gate_init(struct gate *gate)
{
    memset(gate, 0, sizeof *gate);
    pthread_mutex_init(&gate->mutex, NULL);
    monotonic_cond_init(&gate->empty);
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

bool gate_shut(struct gate *gate, unsigned milliseconds)
{
    bool empty;
    pthread_mutex_lock(&gate->mutex);
    gate->shut = true;
    empty = wait_for_none(&gate->inside, &gate->empty, &gate->mutex, milliseconds);
    pthread_mutex_unlock(&gate->mutex);
    return empty;
}
