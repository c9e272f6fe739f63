/* Lines to a syslog that stands still: nobody waits, what is lost is counted and told, and the end
 * waits for the rest (log_syslog.h). */
#undef _FORTIFY_SOURCE /* whose header has a syslog() of its own */
#include "check.h"

#include "daemon/log_syslog.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#define MOST 3000 /* lines */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool stands_still;
static bool waits; /* somebody, in there */
static unsigned written;
static char lines[MOST][80];
static int priorities[MOST];

__attribute__((format(printf, 2, 0))) static void take_line(int priority, const char *format,
                                                            va_list ap)
{
    pthread_mutex_lock(&mutex);
    waits = stands_still;
    pthread_cond_broadcast(&changed);
    while (stands_still)
        pthread_cond_wait(&changed, &mutex);
    waits = false;
    if (written < MOST) {
        vsnprintf(lines[written], sizeof lines[0], format, ap);
        priorities[written++] = priority;
    }
    pthread_mutex_unlock(&mutex);
}

/* Takes the place of the C library's, also where that checks formats (_FORTIFY_SOURCE). */
void syslog(int priority, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    take_line(priority, format, ap);
    va_end(ap);
}

void __syslog_chk(int priority, int flag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void __syslog_chk(int priority, int flag, const char *format, ...)
{
    va_list ap;

    (void)flag;
    va_start(ap, format);
    take_line(priority, format, ap);
    va_end(ap);
}

static void stand_still(bool on)
{
    pthread_mutex_lock(&mutex);
    stands_still = on;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void await_somebody(void)
{
    pthread_mutex_lock(&mutex);
    while (!waits)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

static unsigned written_now(void)
{
    unsigned n;

    pthread_mutex_lock(&mutex);
    n = written;
    pthread_mutex_unlock(&mutex);
    return n;
}

static void write_number(int priority, unsigned n)
{
    char line[20];

    snprintf(line, sizeof line, "%%s%u", n); /* is no format */
    log_syslog_write(priority, line);
}

/* Which number the line is; -1: it is none. */
static int number_of(unsigned at)
{
    int n;

    return sscanf(lines[at], "%%s%d", &n) == 1 ? n : -1;
}

static void test_without_thread(void **state)
{
    (void)state;
    log_syslog_write(LOG_ERR, "before");
    assert_int_equal(written, 1);
    assert_string_equal(lines[0], "before");
    assert_int_equal(priorities[0], LOG_ERR);
    log_syslog_drain(20000); /* there is nothing to wait for */
    written = 0;
}

static void test_queue(void **state)
{
    unsigned lost = 0;
    unsigned sent = 1;

    (void)state;
    alarm(60); /* ends a test that waits */
    assert_int_equal(log_syslog_start(), 0);
    assert_int_equal(log_syslog_start(), 0); /* one thread will do */
    stand_still(true);
    write_number(LOG_INFO, 0);
    await_somebody();
    while (sent < 1500)
        write_number(LOG_INFO, sent++);
    log_syslog_drain(0);
    assert_int_equal(written_now(), 0);

    stand_still(false);
    log_syslog_drain(20000);
    write_number(LOG_ERR, sent++);
    log_syslog_drain(20000);
    assert_int_equal(written, 1000 + 1 + 1);
    for (unsigned i = 0, n = 0; i < written; i++) {
        if (number_of(i) < 0) {
            assert_int_equal(sscanf(lines[i], "warning: %u log lines were lost", &lost), 1);
            assert_int_equal(priorities[i], LOG_WARNING);
        } else if (i < written - 1) {
            assert_int_equal(number_of(i), n++);
        }
    }
    assert_int_equal(number_of(written - 1), 1500);
    assert_int_equal(priorities[written - 1], LOG_ERR);
    assert_int_equal(lost, 1500 - 1000);
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_thread),
        cmocka_unit_test(test_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
