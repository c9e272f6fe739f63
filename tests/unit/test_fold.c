/* Unit tests of mail/fold. */
#include "check.h"

#include "mail/fold.h"

#include <stdlib.h>

/* RULINGS 5; RFC 5322 2.2.3 */
static const struct {
    struct span value, text;
} rows[] = {
    {CHECK_LITERAL(""), CHECK_LITERAL("")},
    {CHECK_LITERAL(" \t\r\n"), CHECK_LITERAL("")},
    {CHECK_LITERAL(" plain text "), CHECK_LITERAL("plain text")},
    {CHECK_LITERAL("a\n b"), CHECK_LITERAL("a b")},
    {CHECK_LITERAL("a\r\n b"), CHECK_LITERAL("a b")},
    {CHECK_LITERAL("a\n\tb"), CHECK_LITERAL("a\tb")},
    {CHECK_LITERAL("a\r\n\t b"), CHECK_LITERAL("a\t b")},
    {CHECK_LITERAL("a \n b"), CHECK_LITERAL("a  b")},
    {CHECK_LITERAL("a\n b\r\n\tc\n d"), CHECK_LITERAL("a b\tc d")},
    {CHECK_LITERAL("\n <x>"), CHECK_LITERAL("<x>")}, /* as Postfix gives a folded first line */
    {CHECK_LITERAL("\r\n\t<x>\r\n"), CHECK_LITERAL("<x>")},
    {CHECK_LITERAL("\n <a\n b>"), CHECK_LITERAL("<a b>")},
    {CHECK_LITERAL("a\nb"), CHECK_LITERAL("a\nb")}, /* no blank behind it: no fold */
    {CHECK_LITERAL("a\r\nb"), CHECK_LITERAL("a\r\nb")},
    {CHECK_LITERAL("a\r b"), CHECK_LITERAL("a\r b")},   /* a bare CR is no line end */
    {CHECK_LITERAL("a\r\r\n b"), CHECK_LITERAL("a b")}, /* RULINGS 116 */
    {CHECK_LITERAL("a\r\r\r\n\tb\r\n c"), CHECK_LITERAL("a\tb c")},
    {CHECK_LITERAL("a\rb\r\r\n c"), CHECK_LITERAL("a\rb c")},
    {CHECK_LITERAL("a\n \r\n b"), CHECK_LITERAL("a  b")},
    {CHECK_LITERAL("a\r\r\nb"), CHECK_LITERAL("a\r\r\nb")},
    {CHECK_LITERAL("a\n\n b"),
     CHECK_LITERAL("a\n b")}, /* only the second LF has a space after it */
    {CHECK_LITERAL("a\n"), CHECK_LITERAL("a")},
    {CHECK_LITERAL("a\n \n"), CHECK_LITERAL("a")},
    {CHECK_LITERAL("a\n \n b"), CHECK_LITERAL("a  b")},
    {CHECK_LITERAL("\va\f"), CHECK_LITERAL("\va\f")},
    {CHECK_LITERAL("a\0\n b"), CHECK_LITERAL("a\0 b")},
};

static void test_fold_text(void **state)
{
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct span value = rows[i].value, text;
        check_row_span(value);
        text = fold_text(value, &arena);
        check_span("text", rows[i].text, text);
        bool copied = text.p < value.p || text.p > value.p + value.n;
        check_bool("copied", !span_eq(span_trim(value), rows[i].text), copied);
    }
    check_end();
    arena_free(&arena);
}

/* RULINGS 116 */
static void test_stray_cr(void **state)
{
    static const struct {
        const char *value;
        bool stray;
    } values[] = {
        {"", false},          {"a\n b", false},         {"a\r\n b", false}, {"a\r\r\n b", false},
        {"a\r\nb", false},    {"a\r", false},           {"a\r\r", false},   {"\r\n a\r\n", false},
        {"\r", false},        {"a\rb", true},           {"\ra", true},      {"a\r b", true},
        {"a\r\rb", true},     {"a\r\n b\rc\r\n", true}, {"a\rb\r", true},   {"a\r\n\r b", true},
        {"a\r\tb\n c", true},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(values); i++) {
        check_row(values[i].value);
        check_bool("stray", values[i].stray, fold_has_stray_cr(span_cstr(values[i].value)));
    }
    check_end();
    assert_true(fold_has_stray_cr(CHECK_SPAN("a\r\0")));
    assert_false(fold_has_stray_cr(span_of(NULL, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fold_text),
        cmocka_unit_test(test_stray_cr),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
