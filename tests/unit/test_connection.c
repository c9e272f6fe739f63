/* libmilter reads what the MTA sent, except packets that it would take wrongly; edits leave with
 * their answer or not at all; and every other descriptor is the kernel's. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#undef _FORTIFY_SOURCE /* its headers may call other functions */
#include "check.h"

#include "generated.h"
#include "libmilter/connection.h"
#include "libmilter/stop_signals.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define NO_PIECES 0

static unsigned acknowledged;

/* These replace the C library's, which the module calls. */
int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
    acknowledged += level == IPPROTO_TCP && name == 12 ? 1 : 0; /* TCP_QUICKACK */
    return (int)syscall(SYS_setsockopt, fd, level, name, value, size);
}

int ppoll(struct pollfd *wanted, nfds_t count, const struct timespec *most, const sigset_t *mask)
{
    const struct timespec soon = {0, 1000000}; /* two seconds are over at once */
    (void)mask;
    assert_true(most == NULL || (most->tv_sec >= 0 && most->tv_nsec >= 0));
    return (int)syscall(SYS_ppoll, wanted, count, &soon, NULL, 8);
}

struct pair {
    int ours, theirs;
};

static int listener = -1;

/* Opens a connection as libmilter does. */
static struct pair open_pair_of(sa_family_t family)
{
    static struct sockaddr_un local = {.sun_family = AF_UNIX};
    struct sockaddr_in inet = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr *name =
        family == AF_INET ? (struct sockaddr *)&inet : (struct sockaddr *)&local;
    socklen_t size = family == AF_INET ? sizeof inet : sizeof local;
    struct sockaddr_storage from;
    socklen_t n = sizeof from;
    struct pair p;
    snprintf(local.sun_path + 1, sizeof local.sun_path - 1, "test_connection-%d", (int)getpid());
    listener = socket(family, SOCK_STREAM, 0);
    for (uint16_t port = 20000 + (uint16_t)(getpid() % 10000); port != 0; port++) {
        inet.sin_port = htons(port);
        if (bind(listener, name, size) == 0)
            break;
    }
    assert_int_equal(listen(listener, 1), 0);
    p.theirs = socket(family, SOCK_STREAM, 0);
    assert_int_equal(connect(p.theirs, name, size), 0);
    p.ours = accept(listener, (struct sockaddr *)&from, &n);
    assert_true(p.ours >= 0);
    close(listener);
    acknowledged = 0;
    return p;
}

static struct pair open_pair(void)
{
    return open_pair_of(AF_UNIX);
}

static void close_pair(struct pair p)
{
    close(p.ours);
    if (p.theirs >= 0)
        close(p.theirs);
}

static void put(struct pair p, const char *bytes, size_t n)
{
    assert_int_equal(send(p.theirs, bytes, n, 0), n);
}

static int ask(int fd)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN | POLLPRI};
    int result = poll(&wanted, 1, 1);
    assert_true(result != 1 || (wanted.revents & POLLIN) != 0);
    return result;
}

/* Reads as libmilter does n bytes, which are sent in pieces. Returns 0, or the errno of a failed
 * read. */
static int read_all(struct pair p, const char *bytes, size_t n, size_t piece)
{
    char got[300];
    for (size_t sent = 0, at = 0; at < n;) {
        ssize_t come;
        if (sent == at) {
            size_t more = piece != NO_PIECES && piece < n - at ? piece : n - at;
            put(p, bytes + at, more);
            sent += more;
        }
        assert_int_equal(ask(p.ours), 1);
        errno = 0;
        come = read(p.ours, got + at, n - at);
        if (come < 0)
            return errno;
        assert_memory_equal(got + at, bytes + at, come);
        at += (size_t)come;
    }
    return 0;
}

static int read_packet(struct pair p, char command, struct span data, size_t piece)
{
    const char prefix[] = {0, 0, 0, (char)(data.n + 1), command};
    int failed = read_all(p, prefix, sizeof prefix, piece);
    return failed != 0 ? failed : read_all(p, data.p, data.n, piece);
}

/* clang-format off */
static const struct {
    const char *what;
    char command;
    struct span data;
    int failed;
} rows[] = {
    {"no macros", 'D', CHECK_LITERAL("C"), 0},
    {"one macro", 'D', CHECK_LITERAL("Ci\0ABC\0"), 0},
    {"two macros", 'D', CHECK_LITERAL("M{auth_authen}\0\0i\0ABC\0"), 0},
    {"nothing", 'D', CHECK_LITERAL(""), 0},
    {"a client", 'C', CHECK_LITERAL("mail.example.org\0\064\0\031192.0.2.1\0"), 0},
    {"an unknown client", 'C', CHECK_LITERAL("localhost\0U"), 0},
    {"no client", 'C', CHECK_LITERAL(""), 0},
    {"MAIL", 'M', CHECK_LITERAL("<a@b>\0"), 0},
    {"a field", 'L', CHECK_LITERAL("Subject\0D\0\0"), 0},
    {"a name", 'D', CHECK_LITERAL("Mi\0"), EPROTO},
    {"an empty name", 'D', CHECK_LITERAL("M\0"), EPROTO},
    {"a value without an end", 'D', CHECK_LITERAL("Mi\0ABC"), EPROTO},
    {"a name after a macro", 'D', CHECK_LITERAL("M{auth_authen}\0someone\0i\0"), EPROTO},
    {"a client without an end", 'C', CHECK_LITERAL("mail.example.org"), EPROTO},
    {"another client", 'K', CHECK_LITERAL(""), EPROTO},
    {"another client, and data", 'K', CHECK_LITERAL("x"), EPROTO},
};
/* clang-format on */

/* Packets of a connection, whole and in pieces. A refused packet ends the connection. */
static void test_packets(void **state)
{
    (void)state;
    for (size_t piece = NO_PIECES; piece < 7; piece++) {
        struct pair p = open_pair();
        for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
            check_row(rows[i].what);
            check_int("failed", rows[i].failed,
                      read_packet(p, rows[i].command, rows[i].data, piece));
            check_bool("a reason", rows[i].failed != 0,
                       connection_fault() != NULL && strstr(connection_fault(), "take wrongly"));
            if (rows[i].failed != 0) {
                close_pair(p);
                p = open_pair();
            }
        }
        close_pair(p);
    }
    check_end();
}

/* SMFIC_QUIT_NC is refused whatever its length. A length beyond INT32_MAX is none to libmilter: the
 * next packet follows at once. */
static void test_lengths(void **state)
{
    static const struct {
        const char *prefix;
        int failed;
    } prefixes[] = {
        {"\0\0\0\0K", EPROTO},   {"\0\0\0\1K", EPROTO},         {"\0\20\0\1K", EPROTO},
        {"\200\0\0\5K", EPROTO}, {"\377\377\377\377K", EPROTO}, {"\0\0\0\0T", 0},
        {"\0\0\0\1T", 0},        {"\377\377\377\377T", 0},      {"\0\0\0\1Q", 0},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(prefixes); i++) {
        struct pair p = open_pair();
        check_row("a prefix");
        check_int("failed", prefixes[i].failed, read_all(p, prefixes[i].prefix, 5, NO_PIECES));
        if (prefixes[i].failed == 0)
            check_int("the next", EPROTO, read_packet(p, 'D', CHECK_SPAN("Mi\0"), NO_PIECES));
        close_pair(p);
    }
    check_end();
}

/* The reason of a closing: none if the MTA ended the connection. */
static void test_fault(void **state)
{
    struct pair p = open_pair();
    char byte;
    (void)state;
    assert_int_equal(read_packet(p, 'x', CHECK_SPAN("y"), NO_PIECES), 0);
    assert_non_null(connection_fault()); /* libmilter closes for an unknown command */
    assert_int_equal(read_packet(p, 'Q', CHECK_SPAN(""), NO_PIECES), 0);
    assert_null(connection_fault());
    close_pair(p);
    assert_null(connection_fault());
    p = open_pair();
    assert_int_equal(read_all(p, "\0\0\0\6M", 5, NO_PIECES), 0);
    assert_non_null(connection_fault()); /* time is over */
    close(p.theirs);
    p.theirs = -1;
    assert_int_equal(ask(p.ours), 1);
    assert_int_equal(read(p.ours, &byte, 1), 0);
    assert_null(connection_fault());
    connection_refuse("no");
    assert_string_equal(connection_fault(), "no");
    close_pair(p);
}

/* A connection that ended within a packet leaves nothing to the next with its number. */
static void test_cut_off(void **state)
{
    (void)state;
    for (size_t cut = 1; cut < 8; cut++) {
        struct pair p = open_pair();
        int number = p.ours;
        char got[8];
        put(p, "\0\0\0\6DMi\0x", 9);
        for (size_t at = 0; at < cut; at++) {
            assert_int_equal(ask(p.ours), 1);
            assert_int_equal(read(p.ours, got, 1), 1);
        }
        close_pair(p);
        p = open_pair();
        assert_int_equal(p.ours, number);
        assert_int_equal(ask(p.ours), 0);
        assert_int_equal(read_packet(p, 'D', CHECK_SPAN("Mi\0ABC\0"), NO_PIECES), 0);
        assert_int_equal(read_packet(p, 'D', CHECK_SPAN("Mi\0"), NO_PIECES), EPROTO);
        close_pair(p);
    }
}

/* Makes packets, small ones and some that are larger than the buffer. Returns their size. */
static size_t make_packets(struct generator *g, char *bytes, size_t size)
{
    size_t at = 0;
    for (size_t packets = 1 + generated_number(g, 40); packets > 0; packets--) {
        size_t n = generated_number(g, generated_number(g, 30) == 0 ? 40000 : 300);
        uint32_t length = htonl((uint32_t)n + 1);
        if (n > size - at - 5)
            break;
        memcpy(bytes + at, &length, sizeof length);
        bytes[at + 4] = 'L';
        for (size_t i = 0; i < n; i++)
            bytes[at + 5 + i] = (char)(unsigned char)generated_number(g, 256);
        at += 5 + n;
    }
    return at;
}

/* Whatever was sent, in whatever pieces, is what libmilter gets. */
static void test_any_stream(void **state)
{
    static char all[200000], got[sizeof all];
    struct generator g = {11};
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct pair p = open_pair();
        size_t size = make_packets(&g, all, sizeof all), sent = 0, end = 5;
        bool is_prefix = true;
        for (size_t at = 0; at < size;) {
            uint32_t length;
            while (at < end) {
                while (ask(p.ours) == 0) {
                    size_t piece = 1 + generated_number(&g, (size_t)1 << generated_number(&g, 17));
                    piece = piece < size - sent ? piece : size - sent;
                    put(p, all + sent, piece);
                    sent += piece;
                }
                at += (size_t)read(p.ours, got + at, end - at);
            }
            memcpy(&length, got + at - 5, sizeof length);
            is_prefix = !is_prefix || ntohl(length) == 1;
            end = at + (is_prefix ? 5 : ntohl(length) - 1);
        }
        assert_memory_equal(got, all, size);
        assert_int_equal(sent, size);
        assert_int_equal(ask(p.ours), 0);
        close_pair(p);
    }
}

/* Packets that have come together are received together. */
static void test_together(void **state)
{
    struct pair p = open_pair();
    char got[6];
    (void)state;
    put(p, "\0\0\0\7M<a@b>\0\0\0\0\1R", 16);
    assert_int_equal(ask(p.ours), 1);
    assert_int_equal(read(p.ours, got, 5), 5);
    assert_int_equal(recv(p.ours, got, 1, MSG_DONTWAIT), -1);
    assert_int_equal(ask(p.ours), 1);
    assert_int_equal(read(p.ours, got, 6), 6);
    assert_int_equal(ask(p.ours), 1);
    assert_int_equal(read(p.ours, got, 5), 5);
    close_pair(p);
}

/* Descriptors that accept() did not return, and those that were closed, go to the kernel. */
static void test_others(void **state)
{
    struct pair p = open_pair();
    int ends[2], fd = p.ours;
    char got[8];
    struct iovec part = {got, 3};
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(read_all(p, "\0\0\0\4D", 5, NO_PIECES), 0);
    assert_int_equal(write(ends[1], "\0\0\0\0Kxy", 7), 7);
    assert_int_equal(ask(ends[0]), 1);
    assert_int_equal(read(ends[0], got, 5), 5);
    assert_int_equal(read(ends[0], got, 5), 2);
    assert_int_equal(writev(ends[1], &part, 1), 3);
    assert_int_equal(read(ends[0], got, 5), 3);
    assert_int_equal(read_all(p, "Mi\0", 3, NO_PIECES), EPROTO);
    assert_int_equal(read(-1, got, 1), -1);
    assert_int_equal(errno, EBADF);
    close_pair(p);
    assert_int_equal(dup2(ends[0], fd), fd);
    assert_int_equal(write(ends[1], "\0\0\0\0Kxy", 7), 7);
    assert_int_equal(ask(fd), 1);
    assert_int_equal(read(fd, got, 5), 5);
    close(fd);
    close(ends[0]);
    close(ends[1]);
}

/* A libmilter that was compiled with _FORTIFY_SOURCE=3 calls the other name. */
static void test_fortified(void **state)
{
    struct pair p = open_pair();
    char prefix[5];
    (void)state;
    put(p, "\0\0\0\4K", 5);
    assert_int_equal(ask(p.ours), 1);
    assert_int_equal(__read_chk(p.ours, prefix, sizeof prefix, sizeof prefix), -1);
    assert_int_equal(errno, EPROTO);
    close_pair(p);
}

/* ---- what leaves ---------------------------------------------------------------------------- */

/* Writes a packet as libmilter does. */
static ssize_t write_packet(int fd, char command, const char *data, size_t n)
{
    char prefix[5] = {0, 0, (char)((n + 1) >> 8), (char)(n + 1), command};
    char copy[70000];
    struct iovec parts[2] = {{prefix, 5}, {copy, n}};
    memcpy(copy, data, n);
    return writev(fd, parts, n > 0 ? 2 : 1);
}

static ssize_t come(struct pair p)
{
    static char got[300000];
    ssize_t n = recvfrom(p.theirs, got, sizeof got, MSG_DONTWAIT, NULL, NULL);
    return n < 0 ? 0 : n;
}

/* Edits leave with the acceptance, in one piece, and with no other answer. */
static void test_edits(void **state)
{
    static const char answers[] = "atryc";
    (void)state;
    for (const char *answer = answers; *answer != '\0'; answer++) {
        struct pair p = open_pair();
        check_row(answer);
        assert_int_equal(write_packet(p.ours, 'm', "edit", 4), 9);
        assert_int_equal(write_packet(p.ours, 'i', "edit", 4), 9);
        check_int("nothing yet", 0, come(p));
        check_bool("waits", false, connection_wait_for_answers(0));
        assert_int_equal(write_packet(p.ours, *answer, "", 0), 5);
        check_int("all or none", *answer == 'a' ? 23 : 5, come(p));
        check_bool("has left", true, connection_wait_for_answers(0));
        close_pair(p);
    }
    check_end();
}

/* Edits whose connection is closed are forgotten. */
static void test_closed_before_answer(void **state)
{
    struct pair p = open_pair();
    (void)state;
    assert_int_equal(write_packet(p.ours, 'i', "edit", 4), 9);
    close_pair(p);
    assert_true(connection_wait_for_answers(0));
    p = open_pair();
    assert_int_equal(write_packet(p.ours, 'a', "", 0), 5);
    assert_int_equal(come(p), 5);
    close_pair(p);
}

/* An MTA that takes nothing is given up, and the reason is known; so is one that has gone. */
static void test_nobody_reads(void **state)
{
    static char value[60000];
    struct pollfd wanted = {.events = POLLOUT};
    (void)state;
    alarm(20); /* ends a test that waits */
    for (int gone = 0; gone < 2; gone++) {
        struct pair p = open_pair();
        if (gone)
            close(p.theirs), p.theirs = -1;
        wanted.fd = p.ours;
        for (int i = 0; i < 10; i++) {
            assert_int_equal(poll(&wanted, 1, 1000), 1); /* what is kept needs no room */
            assert_int_equal(write_packet(p.ours, 'i', value, sizeof value), sizeof value + 5);
        }
        assert_int_equal(write_packet(p.ours, 'a', "", 0), -1);
        assert_int_equal(errno, EIO);
        assert_non_null(strstr(connection_fault(), "could not be sent"));
        close_pair(p);
    }
    alarm(0);
}

/* True from the negotiation on, if answers leave by writev() of the module. */
static void test_guarded(void **state)
{
    struct pair p = open_pair();
    (void)state;
    assert_false(connection_is_guarded());
    assert_int_equal(read_packet(p, 'O', CHECK_SPAN("\0\0\0\6\0\0\1\377\0\37\377\377"), 2), 0);
    assert_true(connection_is_guarded());
    assert_int_equal(read_packet(p, 'M', CHECK_SPAN("<a@b>\0"), NO_PIECES), 0);
    assert_false(connection_is_guarded());
    assert_int_equal(write_packet(p.ours, 'c', "", 0), 5);
    assert_true(connection_is_guarded());
    assert_int_equal(read_all(p, "\0\0\0\6M", 5, NO_PIECES), 0);
    assert_false(connection_is_guarded());
    close_pair(p);
    assert_false(connection_is_guarded());
}

/* What came over TCP is acknowledged before a wait, unless an answer has done so. */
static void test_acknowledged(void **state)
{
    struct pair p = open_pair_of(AF_INET);
    (void)state;
    for (int answered = 0; answered < 2; answered++) {
        assert_int_equal(read_packet(p, 'M', CHECK_SPAN("<a@b>\0"), NO_PIECES), 0);
        acknowledged = 0;
        if (answered)
            assert_int_equal(write_packet(p.ours, 'c', "", 0), 5);
        assert_int_equal(ask(p.ours), 0);
        assert_int_equal(ask(p.ours), 0);
        assert_int_equal(acknowledged, answered ? 0 : 1);
    }
    close_pair(p);
}

/* Last: a linker that hides close() is noticed when a descriptor comes again. */
static void test_hidden_close(void **state)
{
    struct pair p = open_pair();
    int fd = p.ours;
    (void)state;
    assert_int_equal(syscall(SYS_close, fd), 0);
    close(p.theirs);
    p = open_pair();
    assert_int_equal(p.ours, fd);
    assert_int_equal(read_packet(p, 'O', CHECK_SPAN("\0\0\0\6\0\0\1\377\0\37\377\377"), 2), 0);
    assert_false(connection_is_guarded());
    close_pair(p);
}

/* ---- sigwait -------------------------------------------------------------------------------- */

static atomic_bool returned;

static void *wait_as_libmilter(void *unused)
{
    sigset_t set;
    int number;
    (void)unused;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    (void)sigwait(&set, &number);
    atomic_store(&returned, true);
    return NULL;
}

static void test_stop_signals(void **state)
{
    pthread_t thread;
    sigset_t set;
    int number = 0;
    (void)state;
    alarm(20);
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    raise(SIGPIPE);
    assert_int_equal(sigwait(&set, &number), 0); /* as libpq does */
    assert_int_equal(number, SIGPIPE);
    assert_false(stop_signals_wait(5));
    assert_int_equal(pthread_create(&thread, NULL, wait_as_libmilter, NULL), 0);
    assert_int_equal(pthread_detach(thread), 0); /* it ends with the program */
    assert_true(stop_signals_wait(10000));
    assert_int_equal(pthread_kill(thread, SIGTERM), 0);
    assert_int_equal(pthread_kill(thread, SIGHUP), 0);
    usleep(100000);
    assert_false(atomic_load(&returned));
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packets),      cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_fault),        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_any_stream),   cmocka_unit_test(test_together),
        cmocka_unit_test(test_others),       cmocka_unit_test(test_fortified),
        cmocka_unit_test(test_edits),        cmocka_unit_test(test_closed_before_answer),
        cmocka_unit_test(test_nobody_reads), cmocka_unit_test(test_guarded),
        cmocka_unit_test(test_acknowledged), cmocka_unit_test(test_hidden_close),
        cmocka_unit_test(test_stop_signals),
    };
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGHUP);
    sigaddset(&blocked, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL); /* threads inherit it */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
