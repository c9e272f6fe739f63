/* read_ahead - see read_ahead.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#undef _FORTIFY_SOURCE /* it has <poll.h> define a poll() */

/* glibc declares that poll() only writes to what it is given, and gcc warns of one that reads. */
#define poll poll_of_libc
#include <poll.h>
#undef poll

#include "libmilter/read_ahead.h"

#include "libmilter/connections.h"
#include "libmilter/gaps.h"
#include "libmilter/packets_out.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Of more that has arrived, the rest is read when this is used up. */
#define AHEAD_MAX 16384

static _Thread_local struct {
    int fd;    /* the connection whose packets this thread reads */
    int ready; /* poll() has said that it can be read, and nothing was read since */
    bool owes; /* octets of fd have come, and nothing was written since that acknowledges them */
    size_t begin, end;
    unsigned char octets[AHEAD_MAX]; /* from begin to end: not used yet, of fd */
} ahead = {.fd = -1, .ready = -1};

void read_ahead_forget(void)
{
    ahead.fd = ahead.ready = -1;
    ahead.begin = ahead.end = 0;
    ahead.owes = false;
}

static ssize_t read_now(int fd, void *buffer, size_t wanted)
{
    return syscall(SYS_read, fd, buffer, wanted);
}

static ssize_t use(void *buffer, size_t wanted)
{
    size_t n = ahead.end - ahead.begin;
    if (n > wanted)
        n = wanted;
    memcpy(buffer, ahead.octets + ahead.begin, n);
    ahead.begin += n;
    return (ssize_t)n;
}

ssize_t read_ahead(int fd, void *buffer, size_t wanted)
{
    bool is_ready = fd == ahead.ready;
    ssize_t n;
    if (fd == ahead.fd && ahead.begin < ahead.end)
        return use(buffer, wanted);
    ahead.ready = -1;
    if (!is_ready || (wanted != PACKET_PREFIX && fd != ahead.fd))
        return read_now(fd, buffer, wanted);
    n = recv(fd, ahead.octets, sizeof ahead.octets, 0);
    if (n < 0 && errno == ENOTSOCK)
        return read_now(fd, buffer, wanted);
    ahead.fd = fd;
    ahead.begin = 0;
    ahead.end = n > 0 ? (size_t)n : 0;
    ahead.owes = true;
    return n > 0 ? use(buffer, wanted) : n;
}

/* Known without asking the kernel: octets are there, or it has said so; or what will be written is
 * kept. */
static bool is_known(const struct pollfd *wanted)
{
    if (wanted->events == POLLOUT)
        return packets_out_keeps(wanted->fd);
    return (wanted->events & POLLIN) != 0 && wanted->fd == ahead.fd &&
           (ahead.begin < ahead.end || ahead.ready == ahead.fd);
}

static int poll_now(struct pollfd *wanted, nfds_t count, int milliseconds)
{
    struct timespec most = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    return ppoll(wanted, count, milliseconds < 0 ? NULL : &most, NULL);
}

FOR_LIBMILTER int poll(struct pollfd *wanted, nfds_t count, int milliseconds)
{
    int result;
    if (count != 1 || wanted->fd < 0)
        return poll_now(wanted, count, milliseconds);
    if (wanted->fd == ahead.fd)
        gap_called(GAP_READ_AHEAD);
    if (is_known(wanted)) {
        wanted->revents = wanted->events & (POLLIN | POLLOUT);
        return 1;
    }
    if (wanted->fd == ahead.fd) {
        if ((wanted->events & POLLIN) != 0 && ahead.owes)
            connections_acknowledge(wanted->fd);
        ahead.owes = false;
    }
    if ((wanted->events & POLLIN) == 0)
        return poll_now(wanted, count, milliseconds);
    result = poll_now(wanted, count, milliseconds);
    ahead.ready = result == 1 && wanted->revents == POLLIN ? wanted->fd : -1;
    return result;
}
