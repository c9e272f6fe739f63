/* connections - see connections.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "libmilter/connections.h"

#include "libmilter/gaps.h"
#include "system/monotonic.h"
#include "system/patience.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* libmilter takes connections in one thread. */
static void (*tell)(const char *line);
static bool told;
static int64_t told_at;      /* monotonic_now */
static atomic_bool over_tcp; /* one socket is listened to, so all connections are of one kind */

void connections_tell(void (*function)(const char *line))
{
    tell = function;
}

static void tell_failure(int reason)
{
    int64_t now = monotonic_now();
    char line[200];
    if (tell == NULL || (told && now - told_at < patience.accept_say))
        return;
    told = true;
    told_at = now;
    snprintf(line, sizeof line, "error: no connection can be taken: %s: MTAs wait until others end",
             strerror(reason));
    tell(line);
}

static bool lasts(int reason)
{
    return reason == EMFILE || reason == ENFILE || reason == ENOBUFS || reason == ENOMEM;
}

static void set_no_delay(int fd, const struct sockaddr *address)
{
    int on = 1;
    if (address == NULL || (address->sa_family != AF_INET && address->sa_family != AF_INET6))
        return;
    atomic_store_explicit(&over_tcp, true, memory_order_relaxed);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void connections_acknowledge(int fd)
{
    int on = 1;
    if (atomic_load_explicit(&over_tcp, memory_order_relaxed))
        (void)setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

FOR_LIBMILTER int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length)
{
    int result = (int)syscall(SYS_accept4, fd, address, length, 0);
    int reason = errno;
    gap_called(GAP_CONNECTIONS);
    if (result >= 0)
        set_no_delay(result, address);
    if (result < 0 && lasts(reason)) {
        tell_failure(reason);
        monotonic_sleep(patience.accept);
    }
    errno = reason;
    return result;
}
