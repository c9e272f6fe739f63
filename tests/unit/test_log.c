/* Lines to a standard error that takes no more: nobody waits for long, no half line is taken for a
 * whole one, and what is lost is told (log.h). */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "check.h"

#include "daemon/log.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <unistd.h>

#define TOLD(n) "warning: " n " log lines were lost: standard error did not take them\n"

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
    log_line(LOG_ERR, line);
}

static void test_lines(void **state)
{
    static char line[9000];

    (void)state;
    begin();
    say("one");
    say("two");
    assert_string_equal(out, "one\ntwo\n");
    begin();
    memset(line, 'x', sizeof line - 2);
    say(line);
    line[sizeof line - 2] = '\n';
    assert_string_equal(out, line);
    assert_true(largest <= 4096); /* PIPE_BUF of Linux */
}

static void test_full_disk(void **state)
{
    (void)state;
    begin();
    room = 7;
    say("one");
    say("two");
    say("three");
    room = 1000;
    say("four");
    say("five");
    assert_string_equal(out, "one\ntwo\n" TOLD("2") "four\nfive\n");
    begin();
    room = 2;
    say("six");
    room = 1000;
    say("seven");
    assert_string_equal(out, "si\n" TOLD("1") "seven\n");
}

static void test_stands_still(void **state)
{
    (void)state;
    begin();
    stands_still = true;
    for (int i = 0; i < 100; i++)
        say("one");
    assert_int_equal(waited, 100); /* the first one */
    stands_still = false;
    say("two");
    assert_string_equal(out, TOLD("100") "two\n");
    stands_still = true;
    say("three");
    assert_int_equal(waited, 200);
    stands_still = false;
    say("four");
    assert_string_equal(out, TOLD("100") "two\n" TOLD("1") "four\n");
}

/* sd-daemon(3): a line about lost lines has its priority, too. Last: there is no way back. */
static void test_journal(void **state)
{
    char stream[64];
    struct stat st;

    (void)state;
    assert_int_equal(fstat(STDERR_FILENO, &st), 0);
    snprintf(stream, sizeof stream, "%llu:%llu", (unsigned long long)st.st_dev,
             (unsigned long long)st.st_ino);
    assert_int_equal(setenv("JOURNAL_STREAM", stream, 1), 0);
    log_open(LOG_TARGET_STDERR, LOG_MAIL);
    begin();
    stands_still = true;
    say("one");
    stands_still = false;
    say("two");
    assert_string_equal(out, "<4>" TOLD("1") "<3>two\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_stands_still),
        cmocka_unit_test(test_journal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
