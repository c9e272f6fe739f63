/* accept - a failure that lasts takes its time: see accept.h. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/accept.h"

#include "daemon/log.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define SECONDS_OF_SILENCE 60

/* libmilter calls from one thread. */
static bool told;
static time_t told_at;

static void tell(int reason)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (told && now.tv_sec - told_at < SECONDS_OF_SILENCE)
        return;
    told = true;
    told_at = now.tv_sec;
    log_printf(LOG_ERR, "error: no connection can be taken: %s: MTAs wait until others end",
               strerror(reason));
}

static bool lasts(int reason)
{
    return reason == EMFILE || reason == ENFILE || reason == ENOBUFS || reason == ENOMEM;
}

int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length)
{
    const struct timespec pause = {.tv_nsec = 100 * 1000000};
    int result = (int)syscall(SYS_accept4, fd, address, length, 0);
    int reason = errno;

    if (result < 0 && lasts(reason)) {
        tell(reason);
        (void)nanosleep(&pause, NULL);
        errno = reason;
    }
    return result;
}
