/* Starting a thread with every signal blocked. */
#include "system/thread.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

int thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
    sigset_t all, saved;
    pthread_t started;
    int failed;
    sigfillset(&all);
    failed = pthread_sigmask(SIG_SETMASK, &all, &saved);
    if (failed == 0) {
        failed = pthread_create(&started, NULL, run, argument);
        (void)pthread_sigmask(SIG_SETMASK, &saved, NULL);
    }
    if (failed == 0 && thread != NULL)
        *thread = started;
    else if (failed == 0)
        (void)pthread_detach(started);
    errno = failed;
    return failed == 0 ? 0 : -1;
}
