/* Unit tests of mail/rfc5322. */
#include "check.h"

#include "mail/rfc5322.h"

#include <stdlib.h>

/* RFC 5322 3.2.3 */
static void test_atext(void **state)
{
    static const char atext[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "!#$%&'*+-/=?^_`{|}~";
    (void)state;
    for (int i = 0; i < 256; i++) {
        char c = (char)i;
        check_row_span(span_of(&c, 1));
        check_bool("atext", i != 0 && strchr(atext, c) != NULL, rfc5322_is_atext(c));
    }
    check_end();
}

/* RFC 5322 3.2.3, LI-01 */
static void test_dot_atom(void **state)
{
    static const struct {
        const char *text;
        bool ok;
    } rows[] = {
        {"", false},    {"a", true},          {"a.b", true},   {"a.b.c", true},     {".", false},
        {".a", false},  {"a.", false},        {"a..b", false}, {"a b", false},      {" a", false},
        {"a@b", false}, {"a\xC3\xBC", false}, {"a\"b", false}, {"a-b_c.d+e", true}, {"a(b)", false},
        {"a\n", false}, {"<a>", false},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].text);
        check_bool("dot-atom", rows[i].ok, rfc5322_is_dot_atom(span_cstr(rows[i].text)));
    }
    check_end();
    assert_false(rfc5322_is_dot_atom(CHECK_SPAN("a\0b")));
    assert_false(rfc5322_is_dot_atom(span_of(NULL, 0)));
}

struct skip_row {
    const char *text;
    bool ok;
    const char *rest;
};

static void check_skips(bool (*step)(struct cursor *), const struct skip_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct cursor c = cursor_of(span_cstr(rows[i].text));
        check_row(rows[i].text);
        check_bool("closed", rows[i].ok, step(&c));
        check_text("rest", rows[i].rest, cursor_rest(&c));
    }
    check_end();
}

/* RFC 5322 3.2.4 */
static void test_quoted_string(void **state)
{
    static const struct skip_row rows[] = {
        {"\"\"x", true, "x"},       {"\"a b\" c", true, " c"}, {"\"a\\\"b\"c", true, "c"},
        {"\"a\\\\\"c", true, "c"},  {"\"(<\"c", true, "c"},    {"\"a", false, ""},
        {"\"", false, ""},          {"\"a\\\"", false, ""},    {"\"a\\", false, ""},
        {"\"\xFF\n\"z", true, "z"}, {"", false, ""},           {"a\"\"", false, "a\"\""},
    };
    (void)state;
    check_skips(rfc5322_skip_quoted_string, rows, CHECK_COUNT(rows));
}

/* RFC 5322 3.2.2 */
static void test_comment(void **state)
{
    static const struct skip_row rows[] = {
        {"()x", true, "x"},      {"(a(b)c)d", true, "d"}, {"(a\\)b)c", true, "c"},
        {"(a\\\\)c", true, "c"}, {"(\")c", true, "c"}, /* quotation marks mean nothing in a comment
                                                        */
        {"((a)", false, ""},     {"(", false, ""},        {"(\\", false, ""},
        {"(\\)", false, ""},
    };
    (void)state;
    check_skips(rfc5322_skip_comment, rows, CHECK_COUNT(rows));
}

static void test_cfws(void **state)
{
    static const struct skip_row rows[] = {
        {"", true, ""},           {"a", true, "a"},
        {" \t\r\n a", true, "a"}, {" (x) (y(z)) a (b)", true, "a (b)"},
        {"()()", true, ""},       {"\va", true, "\va"}, /* RULINGS 5 */
        {" (x", false, ""},       {"(x) (", false, ""},
    };
    (void)state;
    check_skips(rfc5322_skip_cfws, rows, CHECK_COUNT(rows));
}

/* A million open brackets cost no stack. */
static void test_depth(void **state)
{
    enum { DEPTH = 1000000 };
    char *text = malloc(2 * DEPTH);
    (void)state;
    assert_non_null(text);
    memset(text, '(', DEPTH);
    memset(text + DEPTH, ')', DEPTH);
    struct cursor c = cursor_of(span_of(text, 2 * DEPTH));
    assert_true(rfc5322_skip_comment(&c));
    assert_true(cursor_at_end(&c));
    c = cursor_of(span_of(text, 2 * DEPTH - 1));
    assert_false(rfc5322_skip_cfws(&c));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atext),         cmocka_unit_test(test_dot_atom),
        cmocka_unit_test(test_quoted_string), cmocka_unit_test(test_comment),
        cmocka_unit_test(test_cfws),          cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
