/* daemon/error_budget: ten lines a minute about all delegates, and how many were left out (RULINGS
 * 98). */
#include "check.h"

#include "daemon/error_budget.h"

static int take(struct error_budget *budget, int lines, int64_t now)
{
    int taken = 0;
    for (int i = 0; i < lines; i++)
        taken += error_budget_take(budget, now) ? 1 : 0;
    return taken;
}

static void test_budget(void **state)
{
    struct error_budget budget = {0};
    (void)state;
    assert_int_equal(error_budget_wait(&budget, 0), -1);
    assert_int_equal(take(&budget, 10, 1000), 10);
    assert_int_equal(error_budget_wait(&budget, 1000), -1); /* nothing was left out */
    assert_int_equal(take(&budget, 7, 2000), 0);
    assert_int_equal(error_budget_wait(&budget, 2000), 59000);
    assert_int_equal(error_budget_end(&budget, 60999), 0);
    assert_int_equal(error_budget_wait(&budget, 61000), 0);
    assert_int_equal(error_budget_end(&budget, 61000), 7);
    assert_int_equal(error_budget_end(&budget, 61000), 0);
    assert_int_equal(error_budget_wait(&budget, 61000), -1);
    assert_int_equal(take(&budget, 20, 61500), 9); /* the report was the first line */
    assert_int_equal(error_budget_end(&budget, 1000000), 11);
    assert_int_equal(take(&budget, 20, 2000000), 10); /* another minute */
}

/* Lines that were left out are reported before new ones are logged, also after the minute. */
static void test_late(void **state)
{
    struct error_budget budget = {0};
    (void)state;
    assert_int_equal(take(&budget, 11, 0), 10);
    assert_int_equal(take(&budget, 5, 100000), 0);
    assert_int_equal(error_budget_end(&budget, 100000), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_late),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
