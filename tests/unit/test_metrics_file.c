/* When the metrics are written (mlmilter(8): METRICS), with a clock and a disk of our own. */
#include "check.h"

#include "daemon/log.h"
#include "daemon/written/metrics_file.h"
#include "system/monotonic.h"
#include "system/patience.h"
#include "system/replace_file.h"

#include <errno.h>
#include <string.h>

static int64_t now = 1000000;
static unsigned content, tries, writes, errors, lines;
static int fault; /* of the disk */

/* ---- what stands in the place of the daemon's ---- */

int64_t monotonic_now(void)
{
    return now;
}

void metrics_print(struct strbuf *out, struct metrics *metrics)
{
    (void)metrics;
    strbuf_addf(out, "%u\n", content);
}

void metrics_count(struct metrics *metrics, unsigned what, uint64_t n)
{
    (void)metrics;
    if (what == COUNT_ERROR_METRICS)
        errors += (unsigned)n;
}

int replace_file(const char *path, struct span text, mode_t mode)
{
    (void)path;
    (void)text;
    (void)mode;
    tries++;
    errno = fault;
    if (errno != 0)
        return -1;
    writes++;
    return 0;
}

void log_line(int priority, const char *text)
{
    (void)priority;
    (void)text;
    lines++;
}

void log_printf(int priority, const char *format, ...)
{
    log_line(priority, format);
}

/* ---- */

static struct metrics_file file;

/* Milliseconds go by; the main thread looks when it is woken, and that may be early. */
static void let_pass(int64_t milliseconds)
{
    int64_t until = now + milliseconds;

    while (now < until) {
        int64_t step = metrics_file_wait(&file);

        assert_in_range(step, 0, (int64_t)patience.metrics_every);
        now += step > 0 ? (step + 1) / 2 : 0;
        now = now < until ? now : until;
        metrics_file_look(&file, NULL);
    }
}

static void test_when(void **state)
{
    (void)state;
    assert_int_equal(metrics_file_wait(&file), -1);
    metrics_file_write(&file, NULL);
    metrics_file_use(&file, "/nonexistent/metrics");
    assert_int_equal(tries, 0);
    metrics_file_write(&file, NULL);
    assert_int_equal(writes, 1);

    let_pass((int64_t)patience.metrics_every);
    assert_int_equal(writes, 1); /* nothing has changed */
    content++;
    let_pass((int64_t)patience.metrics_every - 1);
    assert_int_equal(writes, 1);
    let_pass(1);
    assert_int_equal(writes, 2);
    metrics_file_write(&file, NULL);
    assert_int_equal(writes, 3); /* asked for */

    let_pass((int64_t)patience.metrics_latest - 1);
    assert_int_equal(writes, 3);
    let_pass(1);
    assert_int_equal(writes, 4); /* once a minute anyway, and once only */

    fault = ENOSPC;
    content++;
    let_pass((int64_t)patience.metrics_every * 3);
    assert_int_equal(writes, 4);
    assert_int_equal(tries, 7); /* it tries again and again */
    assert_int_equal(lines, 1); /* told once */
    fault = 0;
    let_pass((int64_t)patience.metrics_every);
    assert_int_equal(writes, 5);
    assert_int_equal(errors, tries - writes);
    assert_int_equal(lines, 2); /* that it works again */

    metrics_file_use(&file, NULL); /* the file that stood there is gone, if it was */
    assert_int_equal(metrics_file_wait(&file), -1);
    metrics_file_write(&file, NULL);
    assert_int_equal(writes, 5);
    metrics_file_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_when)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
