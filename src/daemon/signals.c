/* signals - see signals.h */
#include "daemon/signals.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int signal_fd = -1;

int signals_init(void)
{
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGHUP);
    sigaddset(&ours, SIGUSR1);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGINT);
    if (sigprocmask(SIG_BLOCK, &ours, NULL) != 0 || signal(SIGPIPE, SIG_IGN) == SIG_ERR ||
        signal(SIGXFSZ, SIG_IGN) == SIG_ERR)
        return -1;
    signal_fd = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
    return signal_fd < 0 ? -1 : 0;
}

unsigned signals_wait(int descriptor, int milliseconds)
{
    struct pollfd ends[] = {{.fd = signal_fd, .events = POLLIN},
                            {.fd = descriptor, .events = POLLIN}};
    struct signalfd_siginfo signal;
    unsigned what = 0;
    (void)poll(ends, sizeof ends / sizeof ends[0], milliseconds);
    while (read(signal_fd, &signal, sizeof signal) == (ssize_t)sizeof signal)
        what |= signal.ssi_signo == SIGHUP || signal.ssi_signo == SIGUSR1 ? SIGNALS_RELOAD
                                                                          : SIGNALS_STOP;
    return what | (ends[1].revents != 0 ? SIGNALS_INPUT : 0);
}
