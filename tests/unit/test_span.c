/* Unit tests of text/span, text/ascii, text/cursor, text/number and array_grow. */
#include "check.h"

#include "text/ascii.h"
#include "text/cursor.h"
#include "text/memory.h"
#include "text/number.h"
#include "text/span.h"

#include <ctype.h>
#include <stdlib.h>

static void test_ascii_classes(void **state)
{
    (void)state;
    for (int i = 0; i < 256; i++) {
        char c = (char)i, name[8];
        bool ascii = i < 128;
        snprintf(name, sizeof name, "0x%02X", (unsigned)i);
        check_row(name);
        /* The "C" locale, which a test runs in, agrees for ASCII. */
        check_bool("digit", ascii && isdigit(i), ascii_is_digit(c));
        check_bool("alpha", ascii && isalpha(i), ascii_is_alpha(c));
        check_bool("hex", ascii && isxdigit(i), ascii_is_hex(c));
        check_bool("blank", i == ' ' || i == '\t', ascii_is_blank(c));
        check_bool("control", ascii && iscntrl(i), ascii_is_control(c));
        check_int("lower", ascii ? (char)tolower(i) : c, ascii_lower(c));
        check_int("upper", ascii ? (char)toupper(i) : c, ascii_upper(c));
    }
    check_end();
}

static void test_span_compares(void **state)
{
    static const struct {
        const char *a, *b;
        bool eq, eq_nocase, starts, ends;
    } rows[] = {
        {"", "", true, true, true, true},           {"a", "", false, false, true, true},
        {"", "a", false, false, false, false},      {"abc", "abc", true, true, true, true},
        {"abc", "ABC", false, true, true, true},    {"abc", "Ab", false, false, true, false},
        {"abc", "bC", false, false, false, true},   {"abc", "abd", false, false, false, false},
        {"[", "{", false, false, false, false}, /* 0x20 apart, but no letters */
        {"@", "`", false, false, false, false},     {"\xC4", "\xE4", false, false, false, false},
        {"abcd", "abc", false, false, true, false}, {"abc", "abcd", false, false, false, false},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct span a = span_cstr(rows[i].a), b = span_cstr(rows[i].b);
        check_row(rows[i].a);
        check_bool("eq", rows[i].eq, span_eq(a, b));
        check_bool("eq_nocase", rows[i].eq_nocase, span_eq_nocase(a, b));
        check_bool("starts", rows[i].starts, span_starts_nocase(a, b));
        check_bool("ends", rows[i].ends, span_ends_nocase(a, b));
    }
    check_end();
    assert_false(span_eq(CHECK_SPAN("a\0b"), CHECK_SPAN("a\0c")));
    assert_true(span_eq_nocase(CHECK_SPAN("a\0b"), CHECK_SPAN("A\0B")));
}

/* RULINGS 5: nothing but SP, TAB, CR and LF is white space. */
static void test_span_trim(void **state)
{
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"", ""},
        {" ", ""},
        {" \t\r\n", ""},
        {"a", "a"},
        {"\r\n\t a b \t\r\n", "a b"},
        {"\va\f", "\va\f"},
        {"\xC2\xA0"
         "a\xC2\xA0",
         "\xC2\xA0"
         "a\xC2\xA0"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].in);
        check_text("trimmed", rows[i].out, span_trim(span_cstr(rows[i].in)));
    }
    check_end();
    assert_int_equal(span_trim(CHECK_SPAN(" \0 ")).n, 1);
}

static void test_span_sub(void **state)
{
    static const struct {
        size_t from, n;
        const char *out;
    } rows[] = {{0, 0, ""},
                {0, 3, "abc"},
                {1, 1, "b"},
                {1, 99, "bc"},
                {3, 1, ""},
                {99, 1, ""},
                {0, (size_t)-1, "abc"},
                {2, (size_t)-1, "c"},
                {(size_t)-1, 1, ""},
                {1, (size_t)-1, "bc"}};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].out);
        check_text("part", rows[i].out, span_sub(span_cstr("abc"), rows[i].from, rows[i].n));
    }
    check_end();
}

static void test_span_find_and_printable(void **state)
{
    (void)state;
    assert_int_equal(span_find(CHECK_SPAN("abc"), 'a'), 0);
    assert_int_equal(span_find(CHECK_SPAN("abcb"), 'b'), 1);
    assert_int_equal(span_find(CHECK_SPAN("abc"), 'x'), 3);
    assert_int_equal(span_find(CHECK_SPAN("a\0b"), '\0'), 1);
    assert_int_equal(span_find(CHECK_SPAN("a\xFF"), '\xFF'), 1);
    for (int i = 0; i < 256; i++) {
        char c = (char)i;
        assert_int_equal(span_is_printable_ascii(span_of(&c, 1)), i >= 0x20 && i <= 0x7E);
    }
    assert_false(span_is_printable_ascii(CHECK_SPAN("ab\t")));
}

/* An empty span may be a NULL pointer; run under the sanitizers. */
static void test_null_spans(void **state)
{
    struct span none = span_of(NULL, 0);
    (void)state;
    assert_true(span_eq(none, span_cstr("")));
    assert_true(span_eq_nocase(none, none));
    assert_int_equal(span_trim(none).n, 0);
    assert_int_equal(span_sub(none, 1, 1).n, 0);
    assert_int_equal(span_find(none, 'a'), 0);
    assert_true(span_is_printable_ascii(none));
    assert_true(span_starts_nocase(span_cstr("a"), none));
    assert_true(span_ends_nocase(none, none));
    assert_int_equal(span_cstr(NULL).n, 0);
    struct cursor c = cursor_of(none);
    assert_true(cursor_at_end(&c));
    assert_int_equal(cursor_peek(&c), 0);
    assert_int_equal(cursor_rest(&c).n, 0);
}

static void test_cursor(void **state)
{
    struct cursor c = cursor_of(CHECK_SPAN("\v\0z"));
    (void)state;
    assert_false(cursor_take(&c, 'z'));
    assert_int_equal(cursor_peek(&c), '\v');
    assert_true(cursor_take(&c, '\v'));
    assert_false(cursor_at_end(&c));
    assert_int_equal(cursor_peek(&c), 0);
    assert_true(cursor_take(&c, '\0'));
    assert_true(span_eq(cursor_rest(&c), CHECK_SPAN("z")));
    assert_true(cursor_take(&c, 'z'));
    assert_true(cursor_at_end(&c));
    assert_false(cursor_take(&c, '\0'));
}

static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        uint64_t most;
        bool fine;
        uint64_t number;
    } rows[] = {
        {"0", 0, true, 0},
        {"7", 7, true, 7},
        {"8", 7, false, 0},
        {"0007", 7, true, 7},
        {"10", 9, false, 0},
        {"18446744073709551615", UINT64_MAX, true, UINT64_MAX},
        {"18446744073709551616", UINT64_MAX, false, 0},
        {"99999999999999999999", UINT64_MAX, false, 0},
        {"", 9, false, 0},
        {"-1", 9, false, 0},
        {"1 ", 9, false, 0},
        {"+1", 9, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        uint64_t number = 0;
        check_row(rows[i].text);
        check_bool("fine", rows[i].fine,
                   number_parse(span_cstr(rows[i].text), rows[i].most, &number));
        check_bool("number", true, number == rows[i].number);
    }
    check_end();
}

static void test_array(void **state)
{
    size_t *items = NULL;
    size_t capacity = 0, moves = 0;
    (void)state;
    for (size_t count = 0; count < 1000; count++) {
        size_t before = capacity;
        items = array_grow(items, count, &capacity, sizeof *items);
        assert_non_null(items);
        assert_true(capacity > count);
        moves += capacity != before;
        items[count] = count;
    }
    assert_in_range(moves, 1, 10);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_array),
        cmocka_unit_test(test_ascii_classes),
        cmocka_unit_test(test_span_compares),
        cmocka_unit_test(test_span_trim),
        cmocka_unit_test(test_span_sub),
        cmocka_unit_test(test_span_find_and_printable),
        cmocka_unit_test(test_null_spans),
        cmocka_unit_test(test_cursor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
