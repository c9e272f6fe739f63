/* Unit tests of text/edit_distance. */
#include "check.h"

#include "text/edit_distance.h"

static void test_nearest(void **state)
{
    static const char *const names[] = {"sequence", "subject", "to", "list_id", "list_label"};
    static const struct {
        const char *name, *nearest; /* NULL: none */
    } rows[] = {
        {"sequence", "sequence"},
        {"SEQUENCE", "sequence"},
        {"sequnce", "sequence"},
        {"seqeunce", "sequence"},
        {"subjects", "subject"},
        {"t", "to"},
        {"list", NULL},
        {"list_", "list_id"}, /* two of five letters, the first of those that are as near */
        {"listlabel", "list_label"},
        {"xyz", NULL},
        {"", NULL},
        {"sequence_sequence_sequence_sequence_sequence", NULL}, /* too long to be looked at */
    };

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct edit_nearest nearest = edit_nearest_to(span_cstr(rows[i].name));
        for (size_t k = 0; k < CHECK_COUNT(names); k++)
            edit_nearest_try(&nearest, span_cstr(names[k]));
        check_row(rows[i].name);
        if (check_bool("any", rows[i].nearest != NULL, nearest.nearest.p != NULL) &&
            rows[i].nearest != NULL)
            check_text("nearest", rows[i].nearest, nearest.nearest);
    }
    check_end();
}

static void test_within(void **state)
{
    static const struct {
        const char *a, *b;
        unsigned distance; /* 3: more than 2 */
    } rows[] = {
        {"", "", 0},
        {"", "a", 1},
        {"", "ab", 2},
        {"", "abc", 3},
        {"dev.example.org", "DEV.Example.org", 0},
        {"dev.example.org", "dev.example.og", 1},
        {"dev.example.org", "dve.example.org", 1},
        {"team", "tema", 1},
        {"dev.example.org", "dev.exmple.rg", 2},
        {"xdev.example.org", "dev.example.orgx", 2},
        {"dev.example.org", "def.exemple.org", 2},
        {"dev.example.org", "def.exemple.orf", 3},
        {"dev.example.org", "dev.example", 3},
        {"abc", "xyz", 3},
        {"ab", "xy", 2},
        {"abcdefgh", "bcdefgha", 2},
        {"abcdefgh", "hgfedcba", 3},
    };

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct span a = span_cstr(rows[i].a), b = span_cstr(rows[i].b);
        check_row(rows[i].b);
        for (unsigned most = 0; most <= 2; most++) {
            check_bool("within", rows[i].distance <= most, edit_is_within(a, b, most));
            check_bool("the other way", rows[i].distance <= most, edit_is_within(b, a, most));
        }
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
