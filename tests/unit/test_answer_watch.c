/* An answer to a message is under way until its packet is written, or cannot be. */
#undef _FORTIFY_SOURCE /* whose header may call another writev() */
#include "check.h"

#include "milter/answer_watch.h"
#include "milter/edit_batch.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool open_to_answers;
static int under_way;

static bool begin_answer(void *self)
{
    assert_ptr_equal(self, &under_way);
    under_way += open_to_answers ? 1 : 0;
    return open_to_answers;
}

static void end_answer(void *self)
{
    assert_ptr_equal(self, &under_way);
    under_way--;
}

static const struct milter_host host = {
    .self = &under_way,
    .begin_answer = begin_answer,
    .end_answer = end_answer,
};

/* What writev(2) says of a packet of five octets in two parts, and whether it is the end. */
static const struct {
    const char *what;
    ssize_t written;
    int error;
    int left;
} rows[] = {
    {"all", 5, 0, 0},
    {"a part", 4, 0, 1},
    {"nothing", 0, 0, 1},
    {"it has to wait", -1, EAGAIN, 1},
    {"a signal came", -1, EINTR, 1},
    {"nobody reads", -1, EPIPE, 0},
    {"the connection is gone", -1, ECONNRESET, 0},
};

static void test_written(void **state)
{
    char octets[5] = "12345";
    const struct iovec parts[2] = {{octets, 2}, {octets + 2, 3}};

    (void)state;
    open_to_answers = true;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].what);
        answer_watch_begin(&host);
        check_int("begun", 1, under_way);
        errno = rows[i].error;
        answer_watch_wrote(rows[i].written, parts, 2);
        check_int("errno", rows[i].error, errno);
        check_int("left", rows[i].left, under_way);
        answer_watch_wrote(5, parts, 2);
        check_int("at the end", 0, under_way);
        answer_watch_wrote(5, parts, 2);
        check_int("behind it", 0, under_way);
    }
    check_end();
}

/* One that nobody saw leave is over when the next one of the thread begins. */
static void test_not_seen(void **state)
{
    char octets[1] = "1";
    const struct iovec part = {octets, 1};

    (void)state;
    open_to_answers = true;
    answer_watch_begin(&host);
    answer_watch_begin(&host);
    assert_int_equal(under_way, 1);
    open_to_answers = false;
    answer_watch_begin(&host); /* the end of the program waits for no more of them */
    assert_int_equal(under_way, 0);
    answer_watch_wrote(1, &part, 1);
    assert_int_equal(under_way, 0);
}

/* libmilter found no room for it, and closes the connection. */
static void test_closed(void **state)
{
    (void)state;
    open_to_answers = true;
    answer_watch_begin(&host);
    answer_watch_end();
    assert_int_equal(under_way, 0);
    answer_watch_end();
    assert_int_equal(under_way, 0);
}

/* As libmilter writes, by our writev(). */
static void test_writev(void **state)
{
    char octets[1] = "1";
    const struct iovec part = {octets, 1};
    struct strbuf packets = STRBUF_INIT;
    struct edit_batch batch;
    int fds[2];

    (void)state;
    open_to_answers = true;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    answer_watch_begin(&host);
    edit_batch_begin(&batch, &packets);
    assert_int_equal(writev(fds[0], &part, 1), 1);
    assert_int_equal(under_way, 1); /* kept, not written */
    edit_batch_drop(&batch);
    assert_int_equal(writev(fds[0], &part, 1), 1);
    assert_int_equal(under_way, 0);
    close(fds[1]);
    assert_true(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    answer_watch_begin(&host);
    assert_int_equal(writev(fds[0], &part, 1), -1);
    assert_int_equal(errno, EPIPE);
    assert_int_equal(under_way, 0);
    close(fds[0]);
    strbuf_free(&packets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_not_seen),
        cmocka_unit_test(test_closed),
        cmocka_unit_test(test_writev),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
