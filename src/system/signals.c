/* signals - see signals.h: ppoll() unblocks them, so that none is lost between look and wait */
#include "system/signals.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static const struct {
    int number;
    unsigned meaning;
} signals[] = {
    {SIGHUP, SIGNALS_RELOAD}, {SIGUSR1, SIGNALS_RELOAD}, {SIGTERM, SIGNALS_STOP},
    {SIGINT, SIGNALS_STOP},   {SIGALRM, SIGNALS_WAKE},
};
#define SIGNALS (sizeof signals / sizeof signals[0])

static volatile sig_atomic_t came; /* the handler runs only within ppoll() */
static sigset_t while_waiting;

static void note(int number)
{
    for (size_t i = 0; i < SIGNALS; i++)
        if (signals[i].number == number)
            came |= (int)signals[i].meaning;
}

int signals_take(void)
{
    const struct sigaction action = {.sa_handler = note};
    sigset_t ours;
    sigemptyset(&ours);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaddset(&ours, signals[i].number);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
    if (sigprocmask(SIG_BLOCK, &ours, &while_waiting) != 0)
        return -1;
    for (size_t i = 0; i < SIGNALS; i++) {
        sigdelset(&while_waiting, signals[i].number);
        if (sigaction(signals[i].number, &action, NULL) != 0)
            return -1;
    }
    return 0;
}

unsigned signals_wait(int fd, int64_t milliseconds)
{
    struct pollfd readable = {.fd = fd, .events = POLLIN};
    struct timespec most = {0, 0};
    unsigned result;
    if (milliseconds > 0)
        most = (struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000};
    (void)ppoll(&readable, 1, &most, &while_waiting);
    result = (unsigned)came;
    came = 0;
    return result;
}

void signals_wake(void)
{
    (void)kill(getpid(), SIGALRM);
}
