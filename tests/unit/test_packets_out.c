/* The edits of a message leave in one write, or not at all, and nobody waits for ever. An answer to
 * a message is under way until its packet is written, or cannot be. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#undef _FORTIFY_SOURCE /* whose header may call another writev() */

#include "check.h"

#include "libmilter/gaps.h"
#include "libmilter/packets_out.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static unsigned waits;   /* how often somebody was to wait until something can be written */
static unsigned longest; /* for how many milliseconds at most; for ever is UINT_MAX */

/* Takes the place of the C library's, so that two seconds are over at once. */
int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *most, const sigset_t *mask)
{
    fd_set writable;
    struct timeval none = {0, 0};

    (void)mask;
    assert_int_equal(count, 1);
    assert_non_null(most);
    waits++;
    longest = (unsigned)(most->tv_sec * 1000 + most->tv_nsec / 1000000);
    FD_ZERO(&writable);
    FD_SET(fds->fd, &writable);
    return select(fds->fd + 1, NULL, &writable, NULL, &none);
}

/* What the next system call says, if it is scripted. */
static struct {
    bool on;
    ssize_t written;
    int error;
} script;

/* Takes the place of the C library's, which our writev() calls. */
long syscall(long number, ...)
{
    va_list list;
    struct msghdr message = {.msg_name = NULL};
    int fd;

    assert_int_equal(number, SYS_writev);
    if (script.on) {
        errno = script.error;
        return script.written;
    }
    va_start(list, number);
    fd = va_arg(list, int);
    message.msg_iov = va_arg(list, struct iovec *);
    message.msg_iovlen = (size_t)va_arg(list, int);
    va_end(list);
    return sendmsg(fd, &message, MSG_NOSIGNAL);
}

struct pair {
    int ours, theirs;
    struct strbuf packets;
    struct packets_out out;
};

static void open_pair(struct pair *p)
{
    int fds[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    p->ours = fds[0];
    p->theirs = fds[1];
    strbuf_init(&p->packets);
    waits = longest = 0;
}

static void close_pair(struct pair *p)
{
    close(p->ours);
    if (p->theirs >= 0)
        close(p->theirs);
    strbuf_free(&p->packets);
}

/* As libmilter writes: a packet in two parts. */
static ssize_t write_parts(int fd, const char *first, size_t n, const char *second)
{
    char copies[2][70000];
    struct iovec parts[2] = {{copies[0], n}, {copies[1], strlen(second)}};

    assert_true(n <= sizeof copies[0] && strlen(second) <= sizeof copies[1]);
    memcpy(copies[0], first, n);
    memcpy(copies[1], second, strlen(second));
    return writev(fd, parts, 2);
}

/* What has come, at most so much. */
static ssize_t take(int fd, char *buffer, size_t size)
{
    return recv(fd, buffer, size, MSG_DONTWAIT);
}

static void test_one_write(void **state)
{
    struct pair p;
    char got[100];

    (void)state;
    open_pair(&p);
    packets_out_keep(&p.out, &p.packets);
    assert_int_equal(write_parts(p.ours, "one", 3, " two "), 8);
    assert_int_equal(write_parts(p.ours, "three", 5, ""), 5);
    assert_int_equal(take(p.theirs, got, sizeof got), -1);
    assert_int_equal(packets_out_send(&p.out), 0);
    assert_int_equal(take(p.theirs, got, sizeof got), 13);
    assert_memory_equal(got, "one two three", 13);
    assert_int_equal(write_parts(p.ours, "later", 5, ""), 5);
    assert_int_equal(take(p.theirs, got, sizeof got), 5);
    close_pair(&p);
}

static void test_drop(void **state)
{
    struct pair p;
    char got[100];

    (void)state;
    open_pair(&p);
    packets_out_keep(&p.out, &p.packets);
    assert_int_equal(write_parts(p.ours, "one", 3, ""), 3);
    packets_out_drop(&p.out);
    assert_int_equal(take(p.theirs, got, sizeof got), -1);
    assert_int_equal(write_parts(p.ours, "reply", 5, ""), 5);
    assert_int_equal(take(p.theirs, got, sizeof got), 5);
    close_pair(&p);
}

/* What goes elsewhere meanwhile is not kept. */
static void test_other_descriptor(void **state)
{
    struct pair p, other;
    char got[100];

    (void)state;
    open_pair(&p);
    open_pair(&other);
    packets_out_keep(&p.out, &p.packets);
    assert_int_equal(write_parts(p.ours, "one", 3, ""), 3);
    assert_int_equal(write_parts(other.ours, "other", 5, ""), 5);
    assert_int_equal(take(other.theirs, got, sizeof got), 5);
    assert_int_equal(packets_out_send(&p.out), 0);
    assert_int_equal(take(p.theirs, got, sizeof got), 3);
    close_pair(&other);
    close_pair(&p);
}

/* More than is kept leaves in several writes, all of it. */
static void test_large(void **state)
{
    static char piece[40000];
    static char got[200000];
    struct pair p;

    (void)state;
    memset(piece, 'x', sizeof piece);
    open_pair(&p);
    packets_out_keep(&p.out, &p.packets);
    assert_int_equal(write_parts(p.ours, piece, sizeof piece, ""), sizeof piece);
    assert_int_equal(take(p.theirs, got, sizeof got), -1);
    assert_int_equal(write_parts(p.ours, piece, sizeof piece, "y"), sizeof piece + 1);
    assert_int_equal(take(p.theirs, got, sizeof got), 2 * sizeof piece + 1);
    assert_int_equal(packets_out_send(&p.out), 0);
    assert_int_equal(take(p.theirs, got, sizeof got), -1);
    close_pair(&p);
}

/* An MTA that takes nothing is given up after two seconds, also in the middle, though the socket is
 * one on which a send waits (mlmilter(8): PROTOCOL). */
static void test_nobody_reads(void **state)
{
    static char piece[60000];
    const int small = 4096; /* so that one send does not fit, where ppoll() sees room */
    struct pair p;
    ssize_t n = 0;

    (void)state;
    alarm(20); /* ends a test that waits */
    open_pair(&p);
    assert_int_equal(setsockopt(p.ours, SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    packets_out_keep(&p.out, &p.packets);
    for (int i = 0; i < 100 && n >= 0; i++)
        n = write_parts(p.ours, piece, sizeof piece, "");
    assert_int_equal(n, -1);
    assert_true(waits > 1);
    assert_int_equal(longest, 2 * 1000);
    packets_out_drop(&p.out);
    alarm(0);
    close_pair(&p);
}

/* One that has gone fails at once, without a signal. */
static void test_gone(void **state)
{
    struct pair p;

    (void)state;
    open_pair(&p);
    close(p.theirs);
    p.theirs = -1;
    packets_out_keep(&p.out, &p.packets);
    assert_int_equal(write_parts(p.ours, "one", 3, ""), 3);
    assert_int_equal(packets_out_send(&p.out), -1);
    close_pair(&p);
}

static int under_way;

static void answer_left(void *self)
{
    assert_ptr_equal(self, &under_way);
    under_way--;
}

static void begin_answer(void)
{
    packets_out_answer_due(answer_left, &under_way);
    under_way++;
}

/* What writev(2) says of a packet of five octets in two parts, and whether it is the end. */
static const struct {
    const char *what;
    ssize_t written;
    int error;
    int left;
} answers[] = {
    {"all", 5, 0, 0},
    {"a part", 4, 0, 1},
    {"nothing", 0, 0, 1},
    {"it has to wait", -1, EAGAIN, 1},
    {"a signal came", -1, EINTR, 1},
    {"nobody reads", -1, EPIPE, 0},
    {"the connection is gone", -1, ECONNRESET, 0},
};

static void test_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(answers); i++) {
        check_row(answers[i].what);
        begin_answer();
        script.on = true;
        script.written = answers[i].written;
        script.error = answers[i].error;
        errno = 0;
        check_int("written", answers[i].written, write_parts(-1, "12", 2, "345"));
        check_int("errno", answers[i].error, errno);
        check_int("left", answers[i].left, under_way);
        script.written = 5;
        (void)write_parts(-1, "12", 2, "345");
        check_int("at the end", 0, under_way);
        (void)write_parts(-1, "12", 2, "345");
        check_int("behind it", 0, under_way);
    }
    script.on = false;
    check_end();
}

/* One that nobody saw leave is over when the next one of the thread is due, or the connection ends:
 * libmilter found no room for it. */
static void test_answer_not_seen(void **state)
{
    (void)state;
    begin_answer();
    begin_answer();
    assert_int_equal(under_way, 1);
    packets_out_no_answer();
    assert_int_equal(under_way, 0);
    packets_out_no_answer();
    assert_int_equal(under_way, 0);
}

/* Edits that are kept are no answer. */
static void test_answer_behind_edits(void **state)
{
    struct pair p;

    (void)state;
    open_pair(&p);
    begin_answer();
    packets_out_keep(&p.out, &p.packets);
    assert_int_equal(write_parts(p.ours, "edit", 4, ""), 4);
    assert_int_equal(under_way, 1);
    packets_out_drop(&p.out);
    assert_int_equal(write_parts(p.ours, "answer", 6, ""), 6);
    assert_int_equal(under_way, 0);
    close_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_write),
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_other_descriptor),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_nobody_reads),
        cmocka_unit_test(test_gone),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_answer_not_seen),
        cmocka_unit_test(test_answer_behind_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
