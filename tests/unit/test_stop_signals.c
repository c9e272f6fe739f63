/* The sigwait that takes the place of the C library's: libmilter's never returns, everybody else's
 * does. */
#include "check.h"

#include "libmilter/gaps.h"
#include "libmilter/stop_signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/* A sigwait that waits for ever takes no alarm either. */
static void *end_what_hangs(void *unused)
{
    sleep(20);
    _exit(1);
    return unused;
}

/* As libpq does, where a write has left a SIGPIPE behind. */
static void test_of_others(void **state)
{
    pthread_t watchdog;
    sigset_t set;
    int number = 0;

    (void)state;
    assert_int_equal(pthread_create(&watchdog, NULL, end_what_hangs, NULL), 0);
    assert_int_equal(pthread_detach(watchdog), 0);
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    sigaddset(&set, SIGUSR2);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    raise(SIGPIPE);
    assert_int_equal(sigwait(&set, &number), 0);
    assert_int_equal(number, SIGPIPE);
    raise(SIGUSR2);
    assert_int_equal(sigwait(&set, &number), 0);
    assert_int_equal(number, SIGUSR2);
    sigaddset(&set, SIGTERM); /* one of libmilter's is not libmilter's set */
    raise(SIGUSR2);
    assert_int_equal(sigwait(&set, &number), 0);
    assert_int_equal(number, SIGUSR2);
    assert_false(stop_signals_held(20));
    assert_false(gap_is_met(GAP_STOP_SIGNALS));
}

static atomic_bool returned;

static void *as_libmilter(void *unused)
{
    sigset_t set;
    int number;

    (void)unused;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    (void)sigwait(&set, &number);
    atomic_store(&returned, true);
    return NULL;
}

static void test_of_libmilter(void **state)
{
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, as_libmilter, NULL), 0);
    assert_int_equal(pthread_detach(thread), 0); /* it ends with the program */
    assert_true(stop_signals_held(20000));
    assert_int_equal(pthread_kill(thread, SIGTERM), 0);
    assert_int_equal(pthread_kill(thread, SIGHUP), 0);
    usleep(300000);
    assert_false(atomic_load(&returned));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of_others),
        cmocka_unit_test(test_of_libmilter),
    };
    sigset_t blocked;

    /* Threads inherit it: what is sent to the process is nobody's but ours. */
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
