/* stop_signals - see stop_signals.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "libmilter/stop_signals.h"

#include "libmilter/gaps.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

/* Exactly the signals that libmilter's thread waits for. */
static bool is_of_libmilter(const sigset_t *set)
{
    for (int n = 1; n < NSIG; n++)
        if ((sigismember(set, n) == 1) != (n == SIGHUP || n == SIGTERM || n == SIGINT))
            return false;
    return true;
}

FOR_LIBMILTER int sigwait(const sigset_t *set, int *number)
{
    sigset_t all;
    int got;
    if (is_of_libmilter(set)) {
        gap_called(GAP_STOP_SIGNALS);
        sigfillset(&all);
        for (;;)
            (void)sigsuspend(&all);
    }
    do
        got = sigwaitinfo(set, NULL);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return errno;
    *number = got;
    return 0;
}

bool stop_signals_held(unsigned milliseconds)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    while (!gap_is_met(GAP_STOP_SIGNALS) && milliseconds-- > 0)
        (void)nanosleep(&moment, NULL);
    return gap_is_met(GAP_STOP_SIGNALS);
}
