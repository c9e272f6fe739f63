/* stop_signals - see stop_signals.h */
#include "libmilter/stop_signals.h"

#include "libmilter/connection.h"
#include "system/monotonic.h"

#include <errno.h>
#include <stdatomic.h>

static atomic_bool is_called;

FOR_LIBMILTER int sigwait(const sigset_t *set, int *number)
{
    sigset_t all;
    if (sigismember(set, SIGHUP) == 1) {
        atomic_store(&is_called, true);
        sigfillset(&all);
        for (;;)
            (void)sigsuspend(&all);
    }
    while ((*number = sigwaitinfo(set, NULL)) < 0 && errno == EINTR)
        continue;
    return *number < 0 ? errno : 0;
}

bool stop_signals_wait(unsigned milliseconds)
{
    int64_t until = monotonic_now() + milliseconds;
    while (!atomic_load(&is_called) && monotonic_now() < until)
        monotonic_sleep(1);
    return atomic_load(&is_called);
}
