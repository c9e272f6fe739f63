/* When the metrics are written (mlmilter(8): METRICS), with a clock and a disk of our own. */
#include "check.h"

#include "daemon/log.h"
#include "daemon/metrics_file.h"
#include "system/monotonic.h"
#include "system/replace_file.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int_least64_t now;
static atomic_uint looks; /* how often the text was made */
static atomic_uint content, tries, writes, errors, lines;
static atomic_int fault; /* of the disk */

/* ---- what stands in the place of the daemon's ---- */

int64_t monotonic_now(void)
{
    return atomic_load(&now);
}

int monotonic_cond_init(pthread_cond_t *condition)
{
    return pthread_cond_init(condition, NULL);
}

/* The thread looks all the time; whoever waits for it has time. */
struct timespec monotonic_deadline(unsigned milliseconds)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    if (milliseconds != METRICS_FILE_EVERY * 1000)
        t.tv_sec += 20;
    return t;
}

void metrics_print(struct strbuf *out, struct metrics *metrics)
{
    (void)metrics;
    strbuf_addf(out, "%u\n", atomic_load(&content));
    atomic_fetch_add(&looks, 1);
}

void metrics_count(struct metrics *metrics, enum host_count what, uint64_t n)
{
    (void)metrics;
    if (what == COUNT_ERROR_METRICS)
        atomic_fetch_add(&errors, (unsigned)n);
}

int replace_file(const char *path, struct span text, mode_t mode)
{
    (void)path;
    (void)text;
    (void)mode;
    atomic_fetch_add(&tries, 1);
    errno = atomic_load(&fault);
    if (errno != 0)
        return -1;
    atomic_fetch_add(&writes, 1);
    return 0;
}

void log_line(int priority, const char *text)
{
    (void)priority;
    (void)text;
    atomic_fetch_add(&lines, 1);
}

void log_printf(int priority, const char *format, ...)
{
    log_line(priority, format);
}

/* ---- */

/* Until the thread has looked at all that was so when this was called. */
static void let_it_look(void)
{
    const struct timespec moment = {0, 1000000};
    unsigned before = atomic_load(&looks);

    while (atomic_load(&looks) - before < 3)
        nanosleep(&moment, NULL);
}

static void test_when(void **state)
{
    static struct metrics_file file;

    (void)state;
    assert_int_equal(metrics_file_init(&file, NULL), 0);
    metrics_file_use(&file, "/nonexistent/metrics");
    metrics_file_start(&file);
    assert_int_equal(writes, 1);

    let_it_look();
    assert_int_equal(writes, 1); /* nothing has changed */
    content++;
    let_it_look();
    assert_int_equal(writes, 2);
    metrics_file_write(&file);
    assert_int_equal(writes, 3); /* asked for */

    now += METRICS_FILE_LATEST * 1000 - 1;
    let_it_look();
    assert_int_equal(writes, 3);
    now += 1;
    let_it_look();
    assert_int_equal(writes, 4); /* once a minute anyway, and once only */

    fault = ENOSPC; /* first: the thread looks at all times */
    content++;
    let_it_look();
    assert_int_equal(writes, 4);
    assert_true(tries > 5);     /* it tries again and again */
    assert_int_equal(lines, 1); /* told once */
    fault = 0;
    let_it_look();
    assert_int_equal(writes, 5);
    assert_int_equal(errors, tries - writes);
    assert_int_equal(lines, 2); /* that it works again */

    metrics_file_end(&file);
    assert_int_equal(writes, 6);
    assert_false(file.running);
    metrics_file_write(&file); /* too late, but nobody waits */
    assert_int_equal(writes, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_when)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
