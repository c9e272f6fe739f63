/* The handlers set a flag and write to a pipe, on which the main thread sleeps. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static int wake_pipe[2] = {-1, -1};
static atomic_uint pending;

void signals_wake(void)
{
    int saved = errno;
    /* A full pipe wakes as well. */
    if (write(wake_pipe[1], "", 1) < 0)
        errno = saved;
}

static void on_reload(int number)
{
    (void)number;
    atomic_fetch_or(&pending, SIGNALS_RELOAD);
    signals_wake();
}

static void on_stop(int number)
{
    (void)number;
    atomic_fetch_or(&pending, SIGNALS_STOP);
    signals_wake();
}

static int open_pipe(void)
{
    if (pipe(wake_pipe) != 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        int flags = fcntl(wake_pipe[i], F_GETFL);
        if (flags < 0 || fcntl(wake_pipe[i], F_SETFD, FD_CLOEXEC) < 0 ||
            fcntl(wake_pipe[i], F_SETFL, flags | O_NONBLOCK) < 0)
            return -1;
    }
    return 0;
}

static int handle(int number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = handler;
    /* A second line: blocked while its handler runs, the next one would be libmilter's. */
    action.sa_flags = SA_NODEFER | SA_RESTART;
    return sigaction(number, &action, NULL);
}

int signals_init(void)
{
    sigset_t ours;
    if (open_pipe() != 0)
        return -1;
    if (handle(SIGHUP, on_reload) != 0 || handle(SIGUSR1, on_reload) != 0 ||
        handle(SIGTERM, on_stop) != 0 || handle(SIGINT, on_stop) != 0 ||
        handle(SIGPIPE, SIG_IGN) != 0 || handle(SIGXFSZ, SIG_IGN) != 0)
        return -1;
    sigemptyset(&ours);
    sigaddset(&ours, SIGHUP);
    sigaddset(&ours, SIGUSR1);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGINT);
    errno = pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
    return errno == 0 ? 0 : -1;
}

unsigned signals_wait(int descriptor, int milliseconds)
{
    struct pollfd ends[] = {{.fd = wake_pipe[0], .events = POLLIN},
                            {.fd = descriptor, .events = POLLIN}};
    char some[64];
    /* A signal whose handler ran is in the pipe: waiting once more does not make it longer. */
    while (poll(ends, sizeof ends / sizeof ends[0], milliseconds) < 0)
        if (errno != EINTR)
            return SIGNALS_STOP; /* cannot happen; do not spin */
    while (read(wake_pipe[0], some, sizeof some) == (ssize_t)sizeof some)
        continue;
    return atomic_exchange(&pending, 0) | (ends[1].revents != 0 ? SIGNALS_INPUT : 0);
}
