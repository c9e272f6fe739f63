/* connection - see connection.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#undef _FORTIFY_SOURCE /* its headers define some of these functions */

/* glibc declares that poll() only writes to its argument, and gcc warns of one that reads it. */
#define poll poll_of_libc
#include "libmilter/connection.h"
#undef poll

#include "system/monotonic.h"
#include "system/timeouts.h"
#include "text/strbuf.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmilter/mfdef.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

int poll(struct pollfd *wanted, nfds_t count, int milliseconds);

#define PREFIX 5 /* bytes of a packet's length and command */
#define IDLE   1 /* milliseconds after which libmilter gives a silent connection away */
static const int on = 1;

/* By syscall(), as the thread sanitizer does not know the descriptors of accept(). */
#define RECEIVE(flags) syscall(SYS_recvfrom, conn.fd, received, sizeof received, flags, NULL, NULL)
#define SEND(bytes)    syscall(SYS_sendto, fd, bytes.p, bytes.n, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0)

/* Facts about a descriptor; 0: it is no connection. The daemon opens no more than these. */
#define CONNECTION  1u
#define OVER_TCP    2u
#define ANSWERED    4u /* writev() of this module has sent an answer */
#define DESCRIPTORS 65536
static atomic_uchar facts[DESCRIPTORS];
static atomic_bool close_is_hidden; /* a descriptor came back that was never closed here */

static unsigned facts_of(int fd)
{
    return fd >= 0 && fd < DESCRIPTORS ? atomic_load(&facts[fd]) : 0;
}

/* The connection of this thread. libmilter moves a connection to another thread only between two
 * packets, when poll() finds nothing to read, and closes it in the thread that found a fault. So
 * each thread needs one only, and a later connection with its descriptor finds no unread bytes. */
static _Thread_local struct {
    int fd;                       /* -1: none */
    size_t begin, end;            /* of the received bytes that libmilter has not read */
    bool ended;                   /* by the MTA */
    bool owes_ack;                /* for bytes that came */
    unsigned char prefix[PREFIX]; /* of the packet that libmilter reads, or has read */
    size_t have;                  /* bytes of the prefix that libmilter has read */
    size_t left;                  /* bytes of the data that it has not read */
    size_t texts;                 /* NULs in the data that it has read */
    struct strbuf packets;        /* edits that wait for the answer */
    const char *fault;
} conn = {.fd = -1, .packets = STRBUF_INIT};
static _Thread_local unsigned char received[16384];
static atomic_uint unsent; /* threads with packets */

static void forget_packets(void)
{
    if (conn.packets.len > 0)
        atomic_fetch_sub(&unsent, 1);
    strbuf_free(&conn.packets);
}

static void serve(int fd)
{
    if (conn.fd == fd)
        return;
    forget_packets();
    memset(&conn, 0, sizeof conn);
    strbuf_init(&conn.packets);
    conn.fd = fd;
}

static bool is_complete(char command) /* 0: any */
{
    return conn.have == PREFIX && conn.left == 0 && (command == 0 || conn.prefix[4] == command);
}

bool connection_is_guarded(void)
{
    return !atomic_load(&close_is_hidden) &&
           (is_complete(SMFIC_OPTNEG) || (is_complete(0) && (facts_of(conn.fd) & ANSWERED) != 0));
}

void connection_refuse(const char *reason)
{
    conn.fault = reason;
}

const char *connection_fault(void)
{
    if (conn.fault != NULL || conn.fd < 0 || conn.ended || is_complete(SMFIC_QUIT))
        return conn.fault;
    return "a packet was wrong, or did not end in time";
}

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
    const struct timeval idle = {.tv_usec = IDLE * 1000};
    const bool over_tcp = family == AF_INET || family == AF_INET6;
    if (fd >= DESCRIPTORS)
        return;
    if (atomic_exchange(&facts[fd], over_tcp ? CONNECTION | OVER_TCP : CONNECTION) != 0)
        atomic_store(&close_is_hidden, true);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof idle);
    if (over_tcp)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

FOR_LIBMILTER int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length)
{
    int result = (int)syscall(SYS_accept4, fd, address, length, 0);
    if (result >= 0)
        take_connection(result, address->sa_family);
    else
        pause_accept(errno);
    return result;
}

FOR_LIBMILTER int close(int fd)
{
    if (facts_of(fd) != 0 && conn.fd == fd)
        serve(-1);
    if (facts_of(fd) != 0)
        atomic_store(&facts[fd], 0);
    return (int)syscall(SYS_close, fd);
}

static int poll_now(struct pollfd *wanted, nfds_t count, int milliseconds)
{
    struct timespec most = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    return ppoll(wanted, count, milliseconds < 0 ? NULL : &most, NULL);
}

/* Receives what has arrived, or arrives within so many milliseconds. Returns 1 if libmilter has
 * something to read: bytes, or the end of the connection; else 0. */
static int receive(int milliseconds)
{
    struct pollfd more = {.fd = conn.fd, .events = POLLIN};
    ssize_t n;
    if (conn.owes_ack && (facts_of(conn.fd) & OVER_TCP) != 0) /* each time, as it does not last */
        (void)setsockopt(conn.fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
    conn.owes_ack = false;
    n = RECEIVE(0); /* waits IDLE */
    if (n < 0 && errno == EAGAIN && milliseconds > IDLE && poll_now(&more, 1, milliseconds) == 1)
        n = RECEIVE(MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    conn.begin = 0;
    conn.end = n > 0 ? (size_t)n : 0;
    conn.ended = n <= 0;
    conn.owes_ack = true;
    return 1;
}

FOR_LIBMILTER int poll(struct pollfd *wanted, nfds_t count, int milliseconds)
{
    if (count != 1 || facts_of(wanted->fd) == 0)
        return poll_now(wanted, count, milliseconds);
    serve(wanted->fd);
    wanted->revents = wanted->events & (POLLIN | POLLOUT);
    if (wanted->events == POLLOUT || conn.begin < conn.end || conn.ended)
        return 1; /* writev() waits itself */
    if (milliseconds < 0 || milliseconds > (int)timeouts.packet)
        milliseconds = (int)timeouts.packet;
    return receive(milliseconds);
}

/* Notes bytes of a prefix, or of a packet's data. True if libmilter may see them: macros are pairs
 * of texts, the name of a client has an end, and SMFIC_QUIT_NC never comes. */
static bool take(const unsigned char *bytes, size_t n)
{
    unsigned char command = conn.prefix[4];
    uint32_t length;
    if (conn.have < PREFIX) {
        memcpy(conn.prefix + conn.have, bytes, n);
        conn.have += n;
        memcpy(&length, conn.prefix, sizeof length);
        length = ntohl(length);
        conn.left = length > 1 && length <= INT32_MAX ? length - 1 : 0; /* as libmilter has it */
        conn.texts = 0;
        return conn.have < PREFIX || conn.prefix[4] != SMFIC_QUIT_NC;
    }
    conn.left -= n;
    if (command != SMFIC_MACRO && command != SMFIC_CONNECT)
        return true;
    for (size_t i = 0; i < n; i++)
        conn.texts += bytes[i] == '\0';
    return conn.left > 0 || (command == SMFIC_MACRO ? conn.texts % 2 == 0 : conn.texts > 0);
}

FOR_LIBMILTER ssize_t read(int fd, void *buffer, size_t wanted)
{
    size_t n = conn.end - conn.begin, most;
    if (facts_of(fd) == 0 || conn.fd != fd)
        return syscall(SYS_read, fd, buffer, wanted);
    if (conn.ended || wanted == 0)
        return 0;
    if (is_complete(0))
        conn.have = 0;
    most = conn.have < PREFIX ? PREFIX - conn.have : conn.left;
    if (most > wanted)
        most = wanted;
    if (n > most)
        n = most;
    memcpy(buffer, received + conn.begin, n);
    conn.begin += n;
    if (n > 0 && take(buffer, n))
        return (ssize_t)n;
    conn.fault = "a packet that libmilter would take wrongly";
    errno = EPROTO;
    return -1;
}

FOR_LIBMILTER ssize_t __read_chk(int fd, void *buffer, size_t wanted, size_t room)
{
    if (wanted > room)
        abort(); /* as the C library does: the caller's memory would be overwritten */
    return read(fd, buffer, wanted);
}

/* Waits at most timeouts.packet for an MTA that takes nothing. Returns 0 or -1. */
static int send_all(int fd, struct span bytes)
{
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    while (bytes.n > 0) {
        ssize_t sent = SEND(bytes);
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
    unsigned char command;
    bool is_edit;
    size_t before, n;
    if (facts_of(fd) == 0)
        return syscall(SYS_writev, fd, parts, count);
    serve(fd);
    command = ((const unsigned char *)parts[0].iov_base)[4];
    is_edit = command == SMFIR_INSHEADER || command == SMFIR_CHGHEADER;
    if (!is_edit && command != SMFIR_ACCEPT)
        forget_packets(); /* the message is refused, and its edits are void */
    before = conn.packets.len;
    if (before == 0)
        atomic_fetch_add(&unsent, 1);
    for (int i = 0; i < count; i++)
        strbuf_add(&conn.packets, parts[i].iov_base, parts[i].iov_len);
    n = conn.packets.len - before;
    if (is_edit)
        return (ssize_t)n;
    atomic_fetch_or(&facts[fd], ANSWERED);
    conn.owes_ack = false;
    if (send_all(fd, strbuf_span(&conn.packets)) != 0) {
        if (before > 0)
            conn.fault = "the edits of a message and its answer could not be sent";
        errno = EIO;
        return -1; /* keeps the packets, so a stop waits until xxfi_close has logged this */
    }
    forget_packets();
    return (ssize_t)n;
}

bool connection_wait_for_answers(unsigned milliseconds)
{
    int64_t until = monotonic_now() + milliseconds;
    while (atomic_load(&unsent) > 0 && monotonic_now() < until)
        monotonic_sleep(1);
    return atomic_load(&unsent) == 0;
}
