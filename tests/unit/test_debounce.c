/* When files that have changed are read again (mlmilter.conf(5): watch). */
#include "check.h"

#include "daemon/debounce.h"

/* A change at each of these times; then how long to wait at `now`. */
static void test_wait(void **state)
{
    static const struct {
        const char *what;
        int64_t changes[6]; /* ends with 0 */
        int64_t now;
        int wait;
    } rows[] = {
        {"nothing", {0}, 1000, -1},
        {"one", {1000, 0}, 1000, 150},
        {"one, later", {1000, 0}, 1100, 50},
        {"one, time", {1000, 0}, 1150, 0},
        {"one, long over", {1000, 0}, 99999, 0},
        {"two", {1000, 1100, 0}, 1100, 150},
        {"many", {1000, 1100, 1200, 1300, 1400, 0}, 1400, 150},
        {"no quiet", {1000, 1140, 1280, 1420, 1560, 1690}, 1690, 10},
        {"no quiet, time", {1000, 1140, 1280, 1420, 1560, 1699}, 1700, 0},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct debounce d = {.waiting = false};
        for (size_t k = 0; k < CHECK_COUNT(rows[i].changes) && rows[i].changes[k] != 0; k++)
            debounce_note(&d, rows[i].changes[k]);
        check_row(rows[i].what);
        check_int("wait", rows[i].wait, debounce_wait(&d, rows[i].now));
        debounce_clear(&d);
        check_int("cleared", -1, debounce_wait(&d, rows[i].now));
        debounce_note(&d, 50000);
        check_int("anew", 150, debounce_wait(&d, 50000));
    }
    check_end();
}

/* What takes long is done in at most a fifth of the time, what is quick at once. */
static void test_rest(void **state)
{
    struct debounce d = {.waiting = false};
    (void)state;
    debounce_rest(&d, 1000, 1500);
    assert_int_equal(debounce_wait(&d, 1500), -1);
    debounce_note(&d, 1600);
    assert_int_equal(debounce_wait(&d, 1600), 1900);
    debounce_clear(&d);
    debounce_note(&d, 4000);
    assert_int_equal(debounce_wait(&d, 4000), 150);
    debounce_clear(&d);
    debounce_rest(&d, 5000, 5002);
    debounce_note(&d, 5002);
    assert_int_equal(debounce_wait(&d, 5002), 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wait),
        cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
