/* packets_out - keeps what libmilter writes, then writes it at once: see packets_out.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "libmilter/packets_out.h"

#include "libmilter/gaps.h"
#include "system/patience.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Memory that one message may take here. A usual one has 1 kB of edits. */
#define KEEP_MAX ((size_t)64 * 1024)

static _Thread_local struct packets_out *keeper; /* NULL: what is written leaves at once */

static _Thread_local struct {
    void (*left)(void *self); /* NULL: no answer is due */
    void *self;
} due;

void packets_out_no_answer(void)
{
    void (*left)(void *self) = due.left;
    due.left = NULL;
    if (left != NULL)
        left(due.self);
}

void packets_out_answer_due(void (*left)(void *self), void *self)
{
    packets_out_no_answer();
    due.left = left;
    due.self = self;
}

void packets_out_keep(struct packets_out *out, struct strbuf *packets)
{
    strbuf_reset(packets);
    out->packets = packets;
    out->fd = -1;
    out->begun = false;
    keeper = out;
}

static bool is_kept(int fd)
{
    return keeper != NULL && (keeper->fd < 0 || keeper->fd == fd);
}

bool packets_out_keeps(int fd)
{
    return is_kept(fd) && !keeper->begun;
}

/* Asks the kernel; poll() would say that what is kept can be written. false: not within
 * patience.packet. */
static bool takes_more(int fd)
{
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    struct timespec most = {patience.packet / 1000, patience.packet % 1000 * 1000000L};
    return ppoll(&ready, 1, &most, NULL) != 0;
}

/* Asked before each send, though most would do without: a send takes all that a UNIX socket can
 * hold, and the answer would find no room. */
static int send_all(int fd, struct span bytes)
{
    while (bytes.n > 0) {
        ssize_t sent;
        if (!takes_more(fd))
            return -1;
        /* libmilter's sockets are such that a send waits, for ever, until all has been taken. */
        sent = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR && errno != EAGAIN)
            return -1;
        if (sent > 0)
            bytes = span_sub(bytes, (size_t)sent, bytes.n);
    }
    return 0;
}

static int flush(struct packets_out *out)
{
    int result = send_all(out->fd, strbuf_span(out->packets));
    strbuf_reset(out->packets);
    return result;
}

int packets_out_send(struct packets_out *out)
{
    keeper = NULL;
    return flush(out);
}

void packets_out_drop(struct packets_out *out)
{
    keeper = NULL;
    strbuf_reset(out->packets);
}

static size_t octets_of(const struct iovec *parts, int count)
{
    size_t all = 0;
    for (int i = 0; i < count; i++)
        all += parts[i].iov_len;
    return all;
}

/* Of a packet that is not written whole, libmilter writes the rest, or tries again. */
static ssize_t write_now(int fd, const struct iovec *parts, int count)
{
    ssize_t n = syscall(SYS_writev, fd, parts, count);
    int error = errno;
    bool goes_on = n < 0 ? error == EAGAIN || error == EINTR : (size_t)n < octets_of(parts, count);
    if (!goes_on)
        packets_out_no_answer();
    errno = error;
    return n;
}

FOR_LIBMILTER ssize_t writev(int fd, const struct iovec *parts, int count)
{
    struct packets_out *out = keeper;
    gap_called(GAP_PACKETS_OUT);
    if (!is_kept(fd))
        return write_now(fd, parts, count);
    out->fd = fd;
    for (int i = 0; i < count; i++)
        strbuf_add(out->packets, parts[i].iov_base, parts[i].iov_len);
    if (out->packets->len > KEEP_MAX) {
        out->begun = true;
        if (flush(out) != 0) {
            errno = EIO;
            return -1;
        }
    }
    return (ssize_t)octets_of(parts, count);
}
