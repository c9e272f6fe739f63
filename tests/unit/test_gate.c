/* Edits that are being sent keep a stop waiting, and none begin behind it (gate.h). */
#include "check.h"

#include "daemon/gate.h"

#include <time.h>
#include <unistd.h>

static struct gate gate;

static void *leave_later(void *unused)
{
    const struct timespec moment = {0, 50000000};

    nanosleep(&moment, NULL);
    gate_leave(&gate);
    return unused;
}

static void test_gate(void **state)
{
    pthread_t other;

    (void)state;
    alarm(30); /* ends a test that waits */
    gate_init(&gate);
    assert_true(gate_enter(&gate));
    assert_true(gate_enter(&gate));
    gate_leave(&gate);
    assert_false(gate_shut(&gate, 0)); /* one is inside */
    assert_false(gate_enter(&gate));   /* and nobody else gets in */
    assert_false(gate_shut(&gate, 0));
    assert_int_equal(pthread_create(&other, NULL, leave_later, NULL), 0);
    assert_true(gate_shut(&gate, 20000));
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_false(gate_enter(&gate));
    assert_true(gate_shut(&gate, 0));
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
