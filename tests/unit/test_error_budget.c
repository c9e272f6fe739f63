/* daemon/error_budget: ten lines a minute about each delegate, and how many more (RULINGS 87). */
#include "alloc_fail.h"
#include "check.h"

#include "daemon/error_budget.h"

/* How many of so many lines may be logged. */
static int take(struct error_budget *budget, const char *delegate, int lines, int64_t now)
{
    int taken = 0;
    for (int i = 0; i < lines; i++)
        taken += error_budget_take(budget, delegate, now) ? 1 : 0;
    return taken;
}

static void test_minutes(void **state)
{
    struct error_budget budget = {NULL, 0, 0};
    size_t lines = 0;
    (void)state;
    assert_int_equal(error_budget_wait(&budget, 0), -1);
    assert_int_equal(take(&budget, "alice", 10, 1000), 10);
    assert_int_equal(error_budget_wait(&budget, 1000), -1); /* nothing was held back */
    assert_int_equal(take(&budget, "alice", 7, 2000), 0);
    assert_int_equal(take(&budget, "bob", 4, 2000), 4); /* nobody hides another one's */
    assert_int_equal(error_budget_wait(&budget, 2000), 59000);
    assert_null(error_budget_next(&budget, 60999, &lines));
    assert_int_equal(error_budget_wait(&budget, 61000), 0);
    assert_string_equal(error_budget_next(&budget, 61000, &lines), "alice");
    assert_int_equal(lines, 7);
    assert_null(error_budget_next(&budget, 61000, &lines));
    assert_int_equal(error_budget_wait(&budget, 61000), -1);
    /* that line is the first of the next minute */
    assert_int_equal(take(&budget, "alice", 20, 61500), 9);
    /* bob's minute is over, and nothing was held back: a new one begins with his next line */
    assert_int_equal(take(&budget, "bob", 20, 70000), 10);
    assert_int_equal(error_budget_wait(&budget, 70000), 51000);
    /* both at once, late */
    const char *first = error_budget_next(&budget, 1000000, &lines);
    assert_string_equal(first, "alice");
    assert_int_equal(lines, 11);
    assert_string_equal(error_budget_next(&budget, 1000000, &lines), "bob");
    assert_int_equal(lines, 10);
    assert_null(error_budget_next(&budget, 1000000, &lines));
    error_budget_free(&budget);
    error_budget_free(&budget);
}

/* What is held back is told before anything new, even if nobody asked in time. */
static void test_late(void **state)
{
    struct error_budget budget = {NULL, 0, 0};
    size_t lines;
    (void)state;
    assert_int_equal(take(&budget, "a", 11, 0), 10);
    assert_int_equal(take(&budget, "a", 5, 100000), 0);
    assert_string_equal(error_budget_next(&budget, 100000, &lines), "a");
    assert_int_equal(lines, 6);
    error_budget_free(&budget);
}

static void test_no_memory(void **state)
{
    struct error_budget budget = {NULL, 0, 0};
    (void)state;
    alloc_fail_at(1);
    assert_false(error_budget_take(&budget, "a", 0));
    alloc_fail_at(0);
    assert_true(error_budget_take(&budget, "a", 0));
    error_budget_free(&budget);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minutes),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
