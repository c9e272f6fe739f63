/* Starting a thread with every signal blocked. */
#include "daemon/thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

int thread_start(void *(*run)(void *argument), void *argument)
{
    sigset_t all, saved;
    pthread_t thread;
    int result;

    sigfillset(&all);
    result = pthread_sigmask(SIG_SETMASK, &all, &saved);
    if (result == 0) {
        result = pthread_create(&thread, NULL, run, argument);
        (void)pthread_sigmask(SIG_SETMASK, &saved, NULL);
    }
    if (result == 0)
        (void)pthread_detach(thread);
    errno = result;
    return result == 0 ? 0 : -1;
}
