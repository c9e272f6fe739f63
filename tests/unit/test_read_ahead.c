/* What libmilter reads is what was sent, however it comes in; most of it without the kernel; and
 * nothing else is read ahead. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#undef _FORTIFY_SOURCE /* whose headers may call other functions */
#include "check.h"

#include "generated.h"
#include "libmilter/connections.h"
#include "libmilter/gaps.h"
#include "libmilter/packets_in.h"
#include "libmilter/packets_out.h"
#include "libmilter/read_ahead.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static unsigned receipts, waits; /* how often the kernel was asked */
static unsigned acknowledged;    /* how often it was told to acknowledge at once */
static int longest;              /* milliseconds of the last wait; -1: for ever */

/* These take the place of the C library's, which the module calls. */
ssize_t recv(int fd, void *buffer, size_t size, int flags)
{
    receipts++;
    return recvfrom(fd, buffer, size, flags, NULL, NULL);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
    acknowledged += level == IPPROTO_TCP && name == TCP_QUICKACK ? 1 : 0;
    return (int)syscall(SYS_setsockopt, fd, level, name, value, size);
}

int ppoll(struct pollfd *wanted, nfds_t count, const struct timespec *most, const sigset_t *mask)
{
    const struct timespec none = {0, 0};

    (void)mask;
    assert_true(most == NULL || (most->tv_sec >= 0 && most->tv_nsec >= 0));
    waits++;
    longest = most == NULL ? -1 : (int)(most->tv_sec * 1000 + most->tv_nsec / 1000000);
    return (int)syscall(SYS_ppoll, wanted, count, &none, NULL, 8);
}

struct pair {
    int ours, theirs;
};

static struct pair open_pair(void)
{
    int fds[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    receipts = waits = 0;
    return (struct pair){fds[0], fds[1]};
}

static void close_pair(struct pair p)
{
    close(p.ours);
    if (p.theirs >= 0)
        close(p.theirs);
    packets_in_forget(); /* as xxfi_close does */
}

static void put(struct pair p, const char *octets, size_t n)
{
    assert_int_equal(send(p.theirs, octets, n, 0), n);
}

static int ask(int fd)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN | POLLPRI};
    int result = poll(&wanted, 1, 1000);

    assert_true(result != 1 || (wanted.revents & POLLIN) != 0);
    return result;
}

/* As libmilter reads: octets that are there, or the end of the connection. */
static size_t get(struct pair p, void *buffer, size_t n)
{
    size_t have = 0;

    while (have < n) {
        ssize_t come;

        assert_int_equal(ask(p.ours), 1);
        come = read(p.ours, (char *)buffer + have, n - have);
        assert_true(come >= 0);
        if (come == 0)
            break;
        have += (size_t)come;
    }
    return have;
}

static const char three[] = "\0\0\0\7M<a@b>\0\0\0\0\1R\0\0\0\3Lxy";

static void get_three(struct pair p)
{
    char got[sizeof three - 1];

    assert_int_equal(get(p, got, 5), 5);
    assert_int_equal(get(p, got + 5, 6), 6);
    assert_int_equal(get(p, got + 11, 5), 5);
    assert_int_equal(get(p, got + 16, 5), 5);
    assert_int_equal(get(p, got + 21, 2), 2);
    assert_memory_equal(got, three, sizeof got);
}

/* Three packets that have come together cost the system calls of one. */
static void test_together(void **state)
{
    struct pair p = open_pair();

    (void)state;
    for (int i = 0; i < 3; i++) {
        put(p, three, sizeof three - 1);
        receipts = waits = 0;
        if (i > 0)
            assert_int_equal(ask(p.ours), 1); /* libmilter asks twice for the first */
        get_three(p);
        assert_int_equal(receipts, 1);
        assert_int_equal(waits, 1);
        assert_int_equal(ask(p.ours), 0);
    }
    assert_true(gap_is_met(GAP_READ_AHEAD));
    close_pair(p);
}

/* Packets, at most of AHEAD_MAX and more, as many as go into size octets. Their size. */
static size_t make_packets(struct generator *g, char *octets, size_t size)
{
    size_t at = 0;

    for (size_t packets = 1 + generated_number(g, 40); packets > 0; packets--) {
        size_t n = generated_number(g, generated_number(g, 30) == 0 ? 40000 : 300);
        uint32_t length = htonl((uint32_t)n + 1);

        if (n > size - at - PACKET_PREFIX)
            break;
        memcpy(octets + at, &length, sizeof length);
        octets[at + PACKET_PREFIX - 1] = 'L';
        for (size_t i = 0; i < n; i++)
            octets[at + PACKET_PREFIX + i] = (char)(unsigned char)generated_number(g, 256);
        at += PACKET_PREFIX + n;
    }
    return at;
}

/* What is sent when libmilter finds nothing: pieces of any size. */
struct stream {
    struct pair pair;
    const char *octets;
    size_t size, sent;
};

static void send_piece(struct generator *g, struct stream *s)
{
    size_t piece = 1 + generated_number(g, (size_t)1 << generated_number(g, 17));

    if (piece > s->size - s->sent)
        piece = s->size - s->sent;
    put(s->pair, s->octets + s->sent, piece);
    s->sent += piece;
}

static void get_part(struct generator *g, struct stream *s, char *part, size_t wanted)
{
    for (size_t have = 0; have < wanted;) {
        ssize_t come;

        while (ask(s->pair.ours) == 0)
            send_piece(g, s);
        come = read(s->pair.ours, part + have, wanted - have);
        assert_true(come > 0);
        have += (size_t)come;
    }
}

/* Whatever was sent, in whatever pieces, is what libmilter gets. */
static void test_any_stream(void **state)
{
    static char sent[200000], got[sizeof sent];
    struct generator g = {11};

    (void)state;
    for (int round = 0; round < 300; round++) {
        struct stream s = {open_pair(), sent, make_packets(&g, sent, sizeof sent), 0};

        for (size_t at = 0; at < s.size;) {
            uint32_t length;

            get_part(&g, &s, got + at, PACKET_PREFIX);
            memcpy(&length, got + at, sizeof length);
            get_part(&g, &s, got + at + PACKET_PREFIX, ntohl(length) - 1);
            at += PACKET_PREFIX + ntohl(length) - 1;
        }
        assert_memory_equal(got, sent, s.size);
        assert_int_equal(s.sent, s.size);
        assert_int_equal(ask(s.pair.ours), 0);
        close_pair(s.pair);
    }
}

/* The end of the connection comes behind what was sent before it. */
static void test_end(void **state)
{
    struct pair p = open_pair();
    char octet;

    (void)state;
    put(p, three, sizeof three - 1);
    get_three(p);
    put(p, three, sizeof three - 1);
    shutdown(p.theirs, SHUT_WR);
    get_three(p);
    assert_int_equal(get(p, &octet, 1), 0);
    close(p.theirs);
    p.theirs = -1;
    assert_int_equal(get(p, &octet, 1), 0);
    close_pair(p);
}

/* A connection with the number of one that has ended gets nothing of that. */
static void test_ended(void **state)
{
    struct pair p = open_pair(), next;
    char got[5];

    (void)state;
    put(p, three, sizeof three - 1);
    assert_int_equal(get(p, got, 5), 5);
    close_pair(p);
    assert_int_equal(read(-1, got, sizeof got), -1);
    assert_int_equal(errno, EBADF);
    next = open_pair();
    assert_int_equal(next.ours, p.ours);
    assert_int_equal(ask(next.ours), 0);
    put(next, three, sizeof three - 1);
    get_three(next);
    close_pair(next);
}

/* What is not read as libmilter reads stays with the kernel. */
static void test_not_ahead(void **state)
{
    struct pair p = open_pair();
    char got[16];
    int pipe_ends[2];

    (void)state;
    put(p, three, sizeof three - 1);
    assert_int_equal(read(p.ours, got, 5), 5); /* nobody has asked whether there is something */
    assert_int_equal(recvfrom(p.ours, got, 1, MSG_PEEK | MSG_DONTWAIT, NULL, NULL), 1);
    assert_int_equal(ask(p.ours), 1);
    assert_int_equal(read(p.ours, got, 6), 6); /* that is no prefix */
    assert_int_equal(recvfrom(p.ours, got, 1, MSG_PEEK | MSG_DONTWAIT, NULL, NULL), 1);
    close_pair(p);
    assert_int_equal(pipe(pipe_ends), 0);
    assert_int_equal(write(pipe_ends[1], three, 10), 10);
    assert_int_equal(ask(pipe_ends[0]), 1);
    assert_int_equal(read(pipe_ends[0], got, 5), 5); /* no socket */
    assert_int_equal(ask(pipe_ends[0]), 1);
    assert_int_equal(read(pipe_ends[0], got, sizeof got), 5);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

/* Another descriptor is asked for as ever while a connection is read. */
static void test_others(void **state)
{
    struct pair p = open_pair(), other = open_pair();
    struct pollfd both[2] = {{.fd = p.ours, .events = POLLIN},
                             {.fd = other.ours, .events = POLLIN}};
    char got[sizeof three - 1];

    (void)state;
    put(p, three, sizeof three - 1);
    assert_int_equal(get(p, got, 5), 5);
    assert_int_equal(ask(other.ours), 0);
    put(other, "octets", 6);
    assert_int_equal(ask(other.ours), 1);
    assert_int_equal(read(other.ours, got + 5, 6), 6);
    assert_memory_equal(got + 5, "octets", 6);
    assert_int_equal(get(p, got + 5, 6), 6);
    assert_memory_equal(got, three, 11);
    put(other, "more", 4);
    assert_int_equal(poll(both, 2, 0), 1); /* the kernel's answer: p's octets are all here */
    assert_int_equal(both[1].revents, POLLIN);
    close_pair(other);
    close(p.ours);
    close(p.theirs);
}

/* How long to wait is told as it was asked; what cannot be asked says so. */
static void test_waits(void **state)
{
    struct pair p = open_pair();
    struct pollfd wanted = {.fd = p.ours, .events = POLLIN};

    (void)state;
    for (int milliseconds = -1; milliseconds < 7210000; milliseconds = milliseconds * 7 + 8) {
        assert_int_equal(poll(&wanted, 1, milliseconds), 0);
        assert_int_equal(longest, milliseconds);
    }
    wanted.events = POLLOUT;
    assert_int_equal(poll(&wanted, 1, 0), 1);
    assert_int_equal(wanted.revents, POLLOUT);
    wanted.fd = -1;
    wanted.events = POLLIN;
    assert_int_equal(poll(&wanted, 1, 0), 0);
    wanted.fd = 1000000;
    assert_int_equal(poll(&wanted, 1, 0), 1);
    assert_int_equal(wanted.revents, POLLNVAL);
    close_pair(p);
}

/* Edits that are kept need no room in the kernel, until they are too many. */
static void test_kept(void **state)
{
    static char large[100000]; /* more than is kept */
    struct iovec all = {large, sizeof large};
    struct pair p = open_pair();
    struct strbuf packets = STRBUF_INIT;
    struct packets_out out;
    struct pollfd wanted = {.fd = p.ours, .events = POLLOUT};

    (void)state;
    packets_out_keep(&out, &packets);
    assert_int_equal(poll(&wanted, 1, 1000), 1);
    assert_int_equal(wanted.revents, POLLOUT);
    assert_int_equal(waits, 0);
    assert_int_equal(writev(p.ours, &all, 1), sizeof large);
    waits = 0;
    assert_int_equal(poll(&wanted, 1, 1000), 0); /* some have left, and nobody takes them */
    assert_int_equal(waits, 1);
    packets_out_drop(&out);
    assert_int_equal(poll(&wanted, 1, 1000), 0);
    assert_int_equal(waits, 2);
    strbuf_free(&packets);
    close_pair(p);
}

/* Over TCP, as the milter takes connections. */
static struct pair accept_pair(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct pair p;

    for (uint16_t port = 20000 + (uint16_t)(getpid() % 10000); port != 0; port++) {
        here.sin_port = htons(port);
        if (bind(listener, (struct sockaddr *)&here, sizeof here) == 0)
            break;
    }
    assert_int_equal(listen(listener, 1), 0);
    p.theirs = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(p.theirs, (struct sockaddr *)&here, sizeof here), 0);
    p.ours = accept(listener, (struct sockaddr *)&here, &size);
    assert_true(p.ours >= 0);
    close(listener);
    return p;
}

static bool comes(int fd)
{
    for (int i = 0; i < 1000; i++) {
        if (ask(fd) == 1)
            return true;
        usleep(1000);
    }
    return false;
}

/* What has come over TCP is acknowledged before a wait, once, and not where the reply does it. */
static void test_acknowledged(void **state)
{
    struct pair p = open_pair();
    char got[5];

    (void)state;
    put(p, "\0\0\0\1R", 5);
    assert_int_equal(get(p, got, 5), 5);
    assert_int_equal(ask(p.ours), 0);
    assert_int_equal(acknowledged, 0); /* no TCP */
    close_pair(p);
    p = accept_pair();
    for (unsigned i = 0; i < 3; i++) {
        struct pollfd writable = {.fd = p.ours, .events = POLLOUT};

        put(p, "\0\0\0\1R", 5);
        assert_true(comes(p.ours));
        acknowledged = 0;
        assert_int_equal(get(p, got, 5), 5);
        assert_int_equal(acknowledged, 0);
        assert_int_equal(ask(p.ours), 0);
        assert_int_equal(acknowledged, 1);
        assert_int_equal(ask(p.ours), 0);
        assert_int_equal(acknowledged, 1);
        put(p, "\0\0\0\1R", 5);
        assert_true(comes(p.ours));
        assert_int_equal(get(p, got, 5), 5);
        assert_int_equal(poll(&writable, 1, 1000), 1);
        assert_int_equal(ask(p.ours), 0);
        assert_int_equal(acknowledged, 1);
    }
    close_pair(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_together),     cmocka_unit_test(test_any_stream),
        cmocka_unit_test(test_end),          cmocka_unit_test(test_ended),
        cmocka_unit_test(test_not_ahead),    cmocka_unit_test(test_others),
        cmocka_unit_test(test_waits),        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_acknowledged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
