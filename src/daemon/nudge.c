/* Connects to our own socket, and lets go: see nudge.h. */
#include "daemon/nudge.h"

#include "system/monotonic.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAUSE 100 /* milliseconds from one time to the next, at least */

/* A thread that is started may be kept waiting by the first one it finds. */
#define THREADS 4

/* Where libmilter listens; length 0: not known. */
static struct sockaddr_storage address;
static socklen_t length;

static _Atomic int64_t next; /* the moment; monotonic_now */

void nudge_use(int listening)
{
    socklen_t n = sizeof address;

    length = getsockname(listening, (struct sockaddr *)&address, &n) == 0 ? n : 0;
}

static bool is_due(void)
{
    int64_t now = monotonic_now();
    int64_t due = atomic_load(&next);

    return now >= due && atomic_compare_exchange_strong(&next, &due, now + PAUSE);
}

/* Takes no last descriptor: an MTA may need it, and libmilter one for our connection. */
static void connect_once(void)
{
    int fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int another = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);

    if (another >= 0) {
        (void)close(another);
        (void)connect(fd, (const struct sockaddr *)&address, length);
    }
    if (fd >= 0)
        (void)close(fd);
}

void nudge(void *unused)
{
    (void)unused;
    if (length == 0 || !is_due())
        return;
    for (int i = 0; i < THREADS; i++)
        connect_once();
}
