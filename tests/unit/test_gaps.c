/* The table of what libmilter lacks: each gap is told once, and doc/libmilter.md has its report. */
#include "check.h"

#include "libmilter/gaps.h"
#include "text/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
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

static void test_reports(void **state)
{
    const char *top = getenv("TOP_SRCDIR");
    static char text[64 * 1024];
    struct strbuf path = STRBUF_INIT, heading = STRBUF_INIT;
    FILE *file;

    (void)state;
    strbuf_addf(&path, "%s/doc/libmilter.md", top != NULL ? top : ".");
    file = fopen(strbuf_str(&path), "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    for (int gap = 0; gap < GAPS; gap++) {
        char *rest, *copy = strdup(gap_facts[gap].report);

        assert_non_null(copy);
        for (char *name = strtok_r(copy, ";", &rest); name != NULL;
             name = strtok_r(NULL, ";", &rest)) {
            strbuf_reset(&heading);
            strbuf_addf(&heading, "\n## %s\n", *name == ' ' ? name + 1 : name);
            check_row(name);
            check_bool("is reported", true, strstr(text, strbuf_str(&heading)) != NULL);
        }
        free(copy);
    }
    strbuf_free(&path);
    strbuf_free(&heading);
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complaint),
        cmocka_unit_test(test_met),
        cmocka_unit_test(test_reports),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
