/* The table of what libmilter lacks: each gap is told once. */
#include "check.h"

#include "libmilter/gaps.h"

#include <string.h>

static void test_complaint(void **state)
{
    char line[300];

    (void)state;
    for (int gap = 0; gap < GAPS; gap++) {
        check_row(gap_facts[gap].function);
        check_bool("met", false, gap_is_met((enum gap)gap));
        check_bool("told", true, gap_complaint((enum gap)gap, line, sizeof line));
        check_bool("an error", true, strncmp(line, "error: ", 7) == 0);
        check_bool("the function", true, strstr(line, gap_facts[gap].function) != NULL);
        check_bool("what is lost", true, strstr(line, gap_facts[gap].lost) != NULL);
        check_bool("the whole line", true, line[strlen(line) - 1] == ')');
        check_bool("told again", false, gap_complaint((enum gap)gap, line, sizeof line));
    }
    check_end();
}

static void test_met(void **state)
{
    char line[300];

    (void)state;
    for (int gap = 0; gap < GAPS; gap++) {
        gap_called((enum gap)gap);
        gap_called((enum gap)gap);
        assert_true(gap_is_met((enum gap)gap));
        assert_false(gap_complaint((enum gap)gap, line, sizeof line));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complaint),
        cmocka_unit_test(test_met),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
