/* edit_batch - keeps what libmilter writes, then writes it at once: see edit_batch.h. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "milter/edit_batch.h"

#include "milter/answer_watch.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Memory that one message may take here. A usual one has 1 kB of edits. */
#define BATCH_MAX ((size_t)64 * 1024)

/* How long the MTA may take nothing, in milliseconds. A thread of libmilter's pool waits. Where a
 * message has more edits than BATCH_MAX, libmilter asks the socket before each of the others and
 * has less patience: that for packets (daemon/listener.c). */
#define PATIENCE (60 * 1000)

static _Thread_local struct edit_batch *open_batch;

void edit_batch_begin(struct edit_batch *batch, struct strbuf *packets)
{
    strbuf_reset(packets);
    batch->packets = packets;
    batch->fd = -1;
    open_batch = batch;
}

static int send_all(int fd, struct span bytes)
{
    while (bytes.n > 0) {
        struct pollfd ready = {.fd = fd, .events = POLLOUT};
        ssize_t sent;

        if (poll(&ready, 1, PATIENCE) == 0)
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

static int flush(struct edit_batch *batch)
{
    int result =
        strbuf_failed(batch->packets) ? -1 : send_all(batch->fd, strbuf_span(batch->packets));

    strbuf_reset(batch->packets);
    return result;
}

int edit_batch_send(struct edit_batch *batch)
{
    open_batch = NULL;
    return flush(batch);
}

void edit_batch_drop(struct edit_batch *batch)
{
    open_batch = NULL;
    strbuf_reset(batch->packets);
}

static ssize_t write_now(int fd, const struct iovec *parts, int count)
{
    ssize_t n = syscall(SYS_writev, fd, parts, count);

    answer_watch_wrote(n, parts, count);
    return n;
}

/* Takes the place of the C library's for libmilter. */
ssize_t writev(int fd, const struct iovec *parts, int count)
{
    struct edit_batch *batch = open_batch;
    size_t before;

    if (batch == NULL || (batch->fd >= 0 && batch->fd != fd))
        return write_now(fd, parts, count);
    batch->fd = fd;
    before = batch->packets->len;
    for (int i = 0; i < count; i++)
        strbuf_add(batch->packets, parts[i].iov_base, parts[i].iov_len);
    if (strbuf_failed(batch->packets)) {
        errno = ENOMEM;
        return -1;
    }
    before = batch->packets->len - before;
    if (batch->packets->len > BATCH_MAX && flush(batch) != 0) {
        errno = EIO;
        return -1;
    }
    return (ssize_t)before;
}
