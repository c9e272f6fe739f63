/* connection - see connection.h */
#undef _FORTIFY_SOURCE /* its headers define some of these functions */

/* glibc declares that poll() only writes to its argument, and gcc warns of one that reads it. */
#define poll poll_of_libc
#include "libmilter/connection.h"
#undef poll

#include "system/kernel.h"
#include "system/monotonic.h"
#include "system/timeouts.h"
#include "text/memory.h"
#include "text/strbuf.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmilter/mfdef.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

int poll(struct pollfd *wanted, nfds_t count, int milliseconds);

#define PREFIX 5     /* bytes of a packet's length and command */
#define IDLE   1     /* milliseconds that recv() waits */
#define ROOM   16384 /* bytes that are received at once */

struct connection {
    int fd;
    bool is_tcp;
    bool has_answered; /* writev() has sent an answer */
    bool has_ended;    /* by the MTA */
    bool was_silent;   /* the last wait ended without a byte, between packets */
    bool owes_ack;     /* for bytes that came */

    unsigned char *received; /* ROOM bytes; NULL: none, as for all silent connections */
    size_t begin, end;       /* of the received bytes that libmilter has not read */

    unsigned char prefix[PREFIX]; /* of the packet that libmilter reads, or has read */
    size_t have;                  /* bytes of the prefix that libmilter has read */
    size_t left;                  /* bytes of the data that it has not read */
    size_t texts;                 /* NULs in the data that it has read */

    struct strbuf packets; /* edits that wait for the answer */
    const char *fault;
};

static struct connection *_Atomic connections[CONNECTION_DESCRIPTORS]; /* NULL: none */
static _Thread_local int served = -1; /* the descriptor that this thread served last */
static atomic_uint unsent;            /* connections with packets */

static _Thread_local bool is_accepting;
static atomic_bool has_polled, has_selected; /* the thread that accepts */
static atomic_bool has_sigwait;              /* libmilter's signal thread is held */

static struct connection *connection_of(int fd)
{
    return fd >= 0 && fd < CONNECTION_DESCRIPTORS ? atomic_load(&connections[fd]) : NULL;
}

/* Returns the connection, if any, that this thread serves from now on. */
static struct connection *serve(int fd)
{
    struct connection *c = connection_of(fd);
    if (c != NULL)
        served = fd;
    return c;
}

static void drop_received(struct connection *c)
{
    free(c->received);
    c->received = NULL;
}

static void drop_packets(struct connection *c)
{
    if (c->packets.len > 0)
        atomic_fetch_sub(&unsent, 1);
    strbuf_free(&c->packets);
}

static void drop_connection(struct connection *c)
{
    if (c == NULL)
        return;
    drop_packets(c);
    drop_received(c);
    free(c);
}

static bool is_complete(const struct connection *c, char command) /* 0: any */
{
    return c->have == PREFIX && c->left == 0 && (command == 0 || c->prefix[4] == command);
}

static bool is_within_packet(const struct connection *c)
{
    return c->have > 0 && !is_complete(c, 0);
}

/* ---- for the callbacks and the main thread -------------------------------------------------- */

void connection_accept_here(void)
{
    is_accepting = true;
}

const char *connection_wait_for_libmilter(unsigned milliseconds, bool *selects)
{
    int64_t until = monotonic_now() + milliseconds;
    bool waits;
    while ((!(waits = has_polled || has_selected) || !has_sigwait) && monotonic_now() < until)
        monotonic_sleep(1);
    *selects = has_selected;
    return !has_sigwait ? "sigwait(), so a reload could end the daemon"
           : !waits     ? "poll() or select(), so any client could end the daemon"
                        : NULL;
}

bool connection_is_guarded(void)
{
    const struct connection *c = connection_of(served);
    return c != NULL && (is_complete(c, SMFIC_OPTNEG) || (is_complete(c, 0) && c->has_answered));
}

static _Thread_local const char *refusal; /* of a connection that is not in the table */

void connection_refuse(const char *reason)
{
    struct connection *c = connection_of(served);
    *(c != NULL ? &c->fault : &refusal) = reason;
}

const char *connection_fault(void)
{
    const struct connection *c = connection_of(served);
    if (c == NULL)
        return refusal;
    if (c->fault != NULL || c->has_ended || c->was_silent || is_complete(c, SMFIC_QUIT))
        return c->fault;
    return "a packet was wrong, or did not end in time";
}

bool connection_wait_for_answers(unsigned milliseconds)
{
    int64_t until = monotonic_now() + milliseconds;
    while (atomic_load(&unsent) > 0 && monotonic_now() < until)
        monotonic_sleep(1);
    return atomic_load(&unsent) == 0;
}

/* ---- accept and close ----------------------------------------------------------------------- */

void (*connection_log)(const char *reason);

/* Pauses after accept() failed for lack of resources. libmilter would call it again at once. */
static void pause_accept(int reason)
{
    static int64_t next; /* time of the next log line; libmilter accepts in one thread */
    if (reason != EMFILE && reason != ENFILE && reason != ENOBUFS && reason != ENOMEM)
        return;
    if (monotonic_now() >= next) {
        next = monotonic_now() + timeouts.accept_log;
        connection_log(strerror(reason));
    }
    monotonic_sleep(timeouts.accept);
    errno = reason;
}

static void take_connection(int fd, sa_family_t family)
{
    static const int on = 1;
    const struct timeval idle = {.tv_usec = IDLE * 1000};
    struct connection *c;
    if (fd >= CONNECTION_DESCRIPTORS)
        return;
    c = memory_new(1, sizeof *c);
    c->fd = fd;
    c->is_tcp = family == AF_INET || family == AF_INET6;
    strbuf_init(&c->packets);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof idle);
    if (c->is_tcp)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    drop_connection(atomic_exchange(&connections[fd], c));
}

FOR_LIBMILTER int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length)
{
    int result = kernel_accept(fd, address, length);
    if (result >= 0)
        take_connection(result, address->sa_family);
    else
        pause_accept(errno);
    return result;
}

FOR_LIBMILTER int close(int fd)
{
    if (connection_of(fd) != NULL)
        drop_connection(atomic_exchange(&connections[fd], NULL));
    return kernel_close(fd);
}

/* ---- poll and select ------------------------------------------------------------------------ */

static struct timespec duration(int milliseconds)
{
    return (struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L};
}

static int poll_now(struct pollfd *wanted, nfds_t count, int milliseconds)
{
    const struct timespec most = duration(milliseconds);
    return ppoll(wanted, count, milliseconds < 0 ? NULL : &most, NULL);
}

/* Receives what has arrived, or arrives within so many milliseconds (-1: ever). Returns 1 if
 * libmilter has something to read: bytes, or the end of the connection; 0 after that time; or -1
 * with errno EINTR. */
static int receive(struct connection *c, int milliseconds)
{
    struct pollfd more = {.fd = c->fd, .events = POLLIN};
    ssize_t n;
    int result = 1;
    if (c->owes_ack && c->is_tcp)
        kernel_acknowledge(c->fd);
    c->owes_ack = false;
    if (c->received == NULL)
        c->received = memory_resize(NULL, ROOM, 1);
    n = kernel_receive(c->fd, c->received, ROOM, 0); /* waits IDLE */
    if (n < 0 && errno == EAGAIN && (milliseconds < 0 || milliseconds > IDLE)) {
        result = poll_now(&more, 1, milliseconds);
        if (result > 0)
            n = kernel_receive(c->fd, c->received, ROOM, MSG_DONTWAIT);
    }
    if (result < 0 || (n < 0 && errno == EINTR))
        return -1;
    if (n < 0 && errno == EAGAIN)
        return 0;
    c->begin = 0;
    c->end = n > 0 ? (size_t)n : 0;
    c->has_ended = n <= 0;
    c->owes_ack = true;
    return 1;
}

/* Waits for a connection as libmilter asks, except that within a packet the wait is short. Returns
 * as receive does. */
static int wait_to_read(struct connection *c, int milliseconds)
{
    const int most = (int)timeouts.packet;
    int result;
    if (c->begin < c->end || c->has_ended)
        return 1;
    if (is_within_packet(c) && (milliseconds < 0 || milliseconds > most))
        milliseconds = most;
    result = receive(c, milliseconds);
    c->was_silent = result == 0 && !is_within_packet(c);
    if (c->was_silent)
        drop_received(c);
    return result;
}

FOR_LIBMILTER int poll(struct pollfd *wanted, nfds_t count, int milliseconds)
{
    struct connection *c = count == 1 ? serve(wanted->fd) : NULL;
    if (is_accepting)
        atomic_store(&has_polled, true);
    if (c == NULL)
        return poll_now(wanted, count, milliseconds);
    wanted->revents = wanted->events & (POLLIN | POLLOUT);
    if (wanted->events == POLLOUT) /* writev() waits itself */
        return 1;
    return wait_to_read(c, milliseconds);
}

/* For one connection, as libmilter calls it: the one that `count` follows. */
FOR_LIBMILTER int select(int count, fd_set *restrict reads, fd_set *restrict writes,
                         fd_set *restrict faults, struct timeval *restrict limit)
{
    struct connection *c = serve(count - 1);
    struct timespec most = {0, 0};
    int result = 1;
    if (is_accepting)
        atomic_store(&has_selected, true);
    if (limit != NULL)
        most = (struct timespec){limit->tv_sec, limit->tv_usec * 1000};
    if (c == NULL)
        return pselect(count, reads, writes, faults, limit != NULL ? &most : NULL, NULL);
    if (faults != NULL)
        FD_ZERO(faults);
    if (reads != NULL)
        result = wait_to_read(c, limit != NULL ? (int)(limit->tv_sec * 1000 + limit->tv_usec / 1000)
                                               : -1);
    if (result == 0)
        FD_ZERO(reads);
    return result;
}

/* ---- read ----------------------------------------------------------------------------------- */

/* Notes bytes of a prefix, or of a packet's data. True if libmilter may see them: macros are pairs
 * of texts, the name of a client has an end, and SMFIC_QUIT_NC never comes. */
static bool take(struct connection *c, const unsigned char *bytes, size_t n)
{
    unsigned char command = c->prefix[4];
    uint32_t length;
    if (c->have < PREFIX) {
        memcpy(c->prefix + c->have, bytes, n);
        c->have += n;
        memcpy(&length, c->prefix, sizeof length);
        length = ntohl(length);
        /* libmilter takes longer or negative lengths for 0. */
        c->left = length > 1 && length <= INT32_MAX ? length - 1 : 0;
        c->texts = 0;
        return c->have < PREFIX || c->prefix[4] != SMFIC_QUIT_NC;
    }
    c->left -= n;
    if (command != SMFIC_MACRO && command != SMFIC_CONNECT)
        return true;
    for (size_t i = 0; i < n; i++)
        c->texts += bytes[i] == '\0';
    return c->left > 0 || (command == SMFIC_MACRO ? c->texts % 2 == 0 : c->texts > 0);
}

FOR_LIBMILTER ssize_t read(int fd, void *buffer, size_t wanted)
{
    struct connection *c = serve(fd);
    size_t n, most;
    if (c == NULL)
        return kernel_read(fd, buffer, wanted);
    if (c->has_ended || wanted == 0)
        return 0;
    if (is_complete(c, 0))
        c->have = 0;
    most = c->have < PREFIX ? PREFIX - c->have : c->left;
    if (most > wanted)
        most = wanted;
    n = c->end - c->begin;
    if (n > most)
        n = most;
    if (n > 0)
        memcpy(buffer, c->received + c->begin, n);
    c->begin += n;
    if (n > 0 && take(c, buffer, n))
        return (ssize_t)n;
    c->fault = "a packet that libmilter would take wrongly";
    errno = EPROTO;
    return -1;
}

FOR_LIBMILTER ssize_t __read_chk(int fd, void *buffer, size_t wanted, size_t room)
{
    if (wanted > room)
        abort(); /* as the C library does: the caller's memory would be overwritten */
    return read(fd, buffer, wanted);
}

/* ---- writev --------------------------------------------------------------------------------- */

/* Waits at most timeouts.packet for an MTA that takes nothing. Returns 0 or -1. */
static int send_all(int fd, struct span bytes)
{
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    while (bytes.n > 0) {
        ssize_t sent = kernel_send(fd, bytes.p, bytes.n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0)
            bytes = span_sub(bytes, (size_t)sent, bytes.n);
        else if (errno != EINTR &&
                 (errno != EAGAIN || poll_now(&ready, 1, (int)timeouts.packet) == 0))
            return -1;
    }
    return 0;
}

/* Sends a packet, or keeps it if it is an edit. libmilter writes each packet by one call. */
FOR_LIBMILTER ssize_t writev(int fd, const struct iovec *parts, int count)
{
    struct connection *c = serve(fd);
    unsigned char command;
    bool is_edit;
    size_t before, n;
    if (c == NULL)
        return kernel_writev(fd, parts, count);
    command = ((const unsigned char *)parts[0].iov_base)[4];
    is_edit =
        command == SMFIR_INSHEADER || command == SMFIR_ADDHEADER || command == SMFIR_CHGHEADER;
    if (!is_edit && command != SMFIR_ACCEPT)
        drop_packets(c); /* the message is refused, and its edits are void */
    before = c->packets.len;
    if (before == 0)
        atomic_fetch_add(&unsent, 1);
    for (int i = 0; i < count; i++)
        strbuf_add(&c->packets, parts[i].iov_base, parts[i].iov_len);
    n = c->packets.len - before;
    if (is_edit)
        return (ssize_t)n;
    c->has_answered = true;
    c->owes_ack = false;
    if (send_all(fd, strbuf_span(&c->packets)) != 0) {
        if (before > 0)
            c->fault = "the edits of a message and its answer could not be sent";
        errno = EIO;
        return -1; /* the packets count as unsent until close(), so a stop waits for the log line */
    }
    drop_packets(c);
    return (ssize_t)n;
}

/* ---- sigwait -------------------------------------------------------------------------------- */

/* Never returns to libmilter's signal thread, which waits for SIGHUP. libpq waits for SIGPIPE. */
FOR_LIBMILTER int sigwait(const sigset_t *set, int *number)
{
    sigset_t all;
    if (sigismember(set, SIGHUP) == 1) {
        atomic_store(&has_sigwait, true);
        sigfillset(&all);
        for (;;)
            (void)sigsuspend(&all);
    }
    while ((*number = sigwaitinfo(set, NULL)) < 0 && errno == EINTR)
        continue;
    return *number < 0 ? errno : 0;
}
