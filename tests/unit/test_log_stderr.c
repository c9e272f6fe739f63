/* Lines to a standard error that takes no more: nobody waits for long, no half line is taken for a
 * whole one, and what is lost is told (log_stderr.h). */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "check.h"

#include "daemon/log_stderr.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TOLD(mark, n) mark "warning: " n " log lines were lost: standard error did not take them\n"

static char out[20000]; /* what has been written */
static size_t length;
static size_t room;       /* octets that a full disk still takes */
static bool stands_still; /* a pipe */
static int waited;        /* for how long at most, in milliseconds */
static size_t largest;    /* octets of one write */

/* Take the place of the C library's. */
int poll(struct pollfd *fds, nfds_t count, int milliseconds)
{
    (void)fds;
    (void)count;
    if (!stands_still)
        return 1;
    waited += milliseconds;
    return 0;
}

ssize_t write(int fd, const void *octets, size_t n)
{
    if (fd != STDERR_FILENO)
        return syscall(SYS_write, fd, octets, n);
    if (n > largest)
        largest = n;
    if (room == 0) {
        errno = ENOSPC;
        return -1;
    }
    n = n < room ? n : room;
    memcpy(out + length, octets, n);
    length += n;
    room -= n;
    return (ssize_t)n;
}

static void begin(void)
{
    memset(out, 0, sizeof out);
    length = largest = 0;
    room = sizeof out - 1;
    waited = 0;
}

static void say(const char *line)
{
    log_stderr_write(span_cstr(line), "<4>");
}

static void test_lines(void **state)
{
    static char line[9000];

    (void)state;
    begin();
    say("one\n");
    say("two\n");
    assert_string_equal(out, "one\ntwo\n");
    begin();
    memset(line, 'x', sizeof line - 2);
    line[sizeof line - 2] = '\n';
    say(line);
    assert_string_equal(out, line);
    assert_true(largest <= 4096); /* PIPE_BUF of Linux */
}

static void test_full_disk(void **state)
{
    (void)state;
    begin();
    room = 7;
    say("one\n");
    say("two\n");
    say("three\n");
    room = 1000;
    say("four\n");
    say("five\n");
    assert_string_equal(out, "one\ntwo\n" TOLD("<4>", "2") "four\nfive\n");
    begin();
    room = 2;
    say("six\n");
    room = 1000;
    log_stderr_write(span_cstr("seven\n"), "");
    assert_string_equal(out, "si\n" TOLD("", "1") "seven\n");
}

static void test_stands_still(void **state)
{
    (void)state;
    begin();
    stands_still = true;
    for (int i = 0; i < 100; i++)
        say("one\n");
    assert_int_equal(waited, 100); /* the first one */
    stands_still = false;
    say("two\n");
    assert_string_equal(out, TOLD("<4>", "100") "two\n");
    stands_still = true;
    say("three\n");
    assert_int_equal(waited, 200);
    stands_still = false;
    say("four\n");
    assert_string_equal(out, TOLD("<4>", "100") "two\n" TOLD("<4>", "1") "four\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_stands_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
