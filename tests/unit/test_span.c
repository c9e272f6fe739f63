/* text/: span, ascii, cursor, number, edit_distance, utf8, visible and json */
#include "check.h"

#include "text/ascii.h"
#include "text/cursor.h"
#include "text/edit_distance.h"
#include "text/json.h"
#include "text/number.h"
#include "text/span.h"
#include "text/utf8.h"
#include "text/visible.h"

#include <ctype.h>

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
        {"abcd", "abc", false, false, true, false}, {"abc", "abcd", false, false, false, false}};
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
    static const char *const rows[][2] = {{"", ""},
                                          {" \t\r\n", ""},
                                          {"\r\n\t a b \t\r\n", "a b"},
                                          {"\va\f", "\va\f"},
                                          {"\xC2\xA0x\xC2\xA0", "\xC2\xA0x\xC2\xA0"}};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i][0]);
        check_text("trimmed", rows[i][1], span_trim(span_cstr(rows[i][0])));
    }
    check_end();
    assert_int_equal(span_trim(CHECK_SPAN(" \0 ")).n, 1);
}

static void test_span_sub(void **state)
{
    const size_t most = (size_t)-1;
    struct span abc = span_cstr("abc");
    (void)state;
    check_text("all", "abc", span_sub(abc, 0, most));
    check_text("inside", "b", span_sub(abc, 1, 1));
    check_text("at the end", "", span_sub(abc, 3, 1));
    check_text("after it", "", span_sub(abc, most, most));
    check_end();
}

static void test_span_find_and_printable(void **state)
{
    (void)state;
    assert_int_equal(span_find(CHECK_SPAN("abcb"), 'b'), 1);
    assert_int_equal(span_find_last(CHECK_SPAN("abcb"), 'b'), 3);
    assert_int_equal(span_find_any(CHECK_SPAN("abcb"), "xcb"), 1);
    assert_int_equal(span_find(CHECK_SPAN("a\0b"), '\0'), 1);
    for (int i = 0; i < 256; i++) {
        char c = (char)i;
        assert_int_equal(span_is_printable_ascii(span_of(&c, 1)), i >= 0x20 && i <= 0x7E);
    }
}

/* An empty span may be a NULL pointer; run under the sanitizers. */
static void test_null_spans(void **state)
{
    struct span none = span_of(NULL, 0);
    struct cursor c = cursor_of(none);
    (void)state;
    assert_true(span_eq(none, span_cstr("")) && span_eq_nocase(none, none));
    assert_true(span_starts_nocase(span_cstr("a"), none) && span_ends_nocase(none, none));
    assert_true(span_is_printable_ascii(none) && utf8_is_valid(none));
    assert_int_equal(span_trim(none).n + span_sub(none, 1, 1).n + span_find(none, 'a'), 0);
    assert_true(cursor_at_end(&c));
    assert_int_equal(cursor_peek(&c) + (int)cursor_rest(&c).n, 0);
}

static void test_cursor(void **state)
{
    struct cursor c = cursor_of(CHECK_SPAN("\v\0z"));
    (void)state;
    assert_false(cursor_take(&c, 'z'));
    assert_int_equal(cursor_peek(&c), '\v');
    assert_true(cursor_take(&c, '\v') && !cursor_at_end(&c) && cursor_take(&c, '\0'));
    assert_true(span_eq(cursor_rest(&c), CHECK_SPAN("z")));
    assert_true(cursor_take(&c, 'z') && cursor_at_end(&c));
}

static void test_numbers(void **state)
{
    static const char *const wrong[] = {"", "-1", "1 ", "+1", "8", "10", "18446744073709551616"};
    uint64_t number = 5;
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(wrong); i++)
        assert_false(number_parse(span_cstr(wrong[i]), 7, &number));
    assert_false(number_parse(span_cstr("18446744073709551616"), UINT64_MAX, &number));
    assert_int_equal(number, 5);
    assert_true(number_parse(span_cstr("0007"), 7, &number) && number == 7);
    assert_true(number_parse(span_cstr("0"), 0, &number) && number == 0);
    assert_true(number_parse(span_cstr("18446744073709551615"), UINT64_MAX, &number));
    assert_true(number == UINT64_MAX);
}

static void test_nearest(void **state)
{
    static const char *const names[] = {"sequence", "subject", "to", "list_id", "list_label"};
    /* "list_" is two of five letters from list_id; of equally near names the first counts */
    static const char *const rows[][2] = {{"sequence", "sequence"},
                                          {"SEQUENCE", "sequence"},
                                          {"sequnce", "sequence"},
                                          {"seqeunce", "sequence"},
                                          {"subjects", "subject"},
                                          {"t", "to"},
                                          {"list_", "list_id"},
                                          {"listlabel", "list_label"},
                                          {"list", ""},
                                          {"xyz", ""},
                                          {"", ""},
                                          {"sequence_sequence_sequence_sequence_sequence", ""}};
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct edit_nearest nearest = edit_nearest_to(span_cstr(rows[i][0]));
        for (size_t k = 0; k < CHECK_COUNT(names); k++)
            edit_nearest_try(&nearest, span_cstr(names[k]));
        check_row(rows[i][0]);
        check_text("nearest", rows[i][1], nearest.nearest);
    }
    check_end();
}

static void test_within(void **state)
{
    /* by distance; the last ones are more than two apart */
    static const char *const rows[4][4][2] = {
        {{"", ""}, {"dev.example.org", "DEV.Example.org"}, {"a", "A"}, {"[", "["}},
        {{"", "a"},
         {"dev.example.org", "dev.example.og"},
         {"dev.example.org", "dve.example.org"},
         {"team", "tema"}},
        {{"", "ab"},
         {"dev.example.org", "dev.exmple.rg"},
         {"xdev.example.org", "dev.example.orgx"},
         {"abcdefgh", "bcdefgha"}},
        {{"", "abc"},
         {"dev.example.org", "def.exemple.orf"},
         {"dev.example.org", "dev.example"},
         {"abcdefgh", "hgfedcba"}}};
    (void)state;
    for (unsigned distance = 0; distance < 4; distance++)
        for (size_t i = 0; i < 4; i++)
            for (unsigned most = 0; most <= 2; most++) {
                const char *const *row = rows[distance][i];
                struct span a = span_cstr(row[0]), b = span_cstr(row[1]);
                check_row(row[1]);
                check_bool("within", distance <= most, edit_is_within(a, b, most));
            }
    check_end();
}

/* RFC 3629 3 and 4: characters, and overlong ones, surrogates, over U+10FFFF, cut off */
static void test_utf8(void **state)
{
    struct span right = span_cstr("a \x7F \xC2\x80 \xDF\xBF \xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 "
                                  "\xEF\xBF\xBF \xF0\x90\x80\x80 \xF4\x8F\xBF\xBF");
    struct span wrong = span_cstr(
        "\xC0\x80 \xC1\xBF \xE0\x9F\xBF \xF0\x8F\xBF\xBF \xED\xA0\x80 \xED\xBF\xBF "
        "\xF4\x90\x80\x80 "
        "\xF5\x80\x80\x80 \xF8\x88\x80\x80\x80 \xFE \xFF \x80 \xBF \xC2 \xC2\x7F \xC2\xC0 \xE2\x82 "
        "\xE2\x82\x41 \xF0\x9F\x98");
    (void)state;
    for (struct span word; right.n > 0; right = span_sub(right, word.n + 1, right.n)) {
        word = span_sub(right, 0, span_find(right, ' '));
        check_row_span(word);
        check_int("bytes", (long long)word.n, (long long)utf8_length(right));
        check_bool("valid", true, utf8_is_valid(word));
    }
    for (struct span word; wrong.n > 0; wrong = span_sub(wrong, word.n + 1, wrong.n)) {
        word = span_sub(wrong, 0, span_find(wrong, ' '));
        check_row_span(word);
        check_int("bytes", 0, (long long)utf8_length(word));
        check_bool("valid", false, utf8_is_valid(word));
    }
    check_end();
    assert_int_equal(utf8_length(CHECK_SPAN("\0")), 1);
}

/* Control characters, ends of lines, and what reorders a line for its reader (UAX 9, 2); RULINGS 3
 */
static void test_visible_and_json(void **state)
{
    static const char *const rows[][3] = {
        {"a / ~", "a / ~", "a / ~"},
        {"\"\\", "\"\\", "\\\"\\\\"},
        {"a\x1F\x7F\r\n\t", "a?????", "a\\u001f\\u007f\\r\\n\\t"},
        {"\xC2\x80\xC2\x9F\xC2\xA0", "??\xC2\xA0", "\\u0080\\u009f\xC2\xA0"},
        {"\xD8\x9B\xD8\x9C\xD8\x9D", "\xD8\x9B?\xD8\x9D", "\xD8\x9B\\u061c\xD8\x9D"},
        {"\xE2\x80\x8D\xE2\x80\x8E\xE2\x80\x8F\xE2\x80\x90", "\xE2\x80\x8D??\xE2\x80\x90",
         "\xE2\x80\x8D\\u200e\\u200f\xE2\x80\x90"},
        {"\xE2\x80\xA7\xE2\x80\xA8\xE2\x80\xAE\xE2\x80\xAF", "\xE2\x80\xA7??\xE2\x80\xAF",
         "\xE2\x80\xA7\\u2028\\u202e\xE2\x80\xAF"},
        {"\xE2\x81\xA5\xE2\x81\xA6\xE2\x81\xA9\xE2\x81\xAA", "\xE2\x81\xA5??\xE2\x81\xAA",
         "\xE2\x81\xA5\\u2066\\u2069\xE2\x81\xAA"},
        {"\xE3\x80\xAE\xF0\x9F\x98\x80", "\xE3\x80\xAE\xF0\x9F\x98\x80",
         "\xE3\x80\xAE\xF0\x9F\x98\x80"},
        {"\xFC\xE2\x80", "???", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    };
    struct strbuf out = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i][0]);
        strbuf_reset(&out);
        visible_add(&out, span_cstr(rows[i][0]));
        check_text("visible", rows[i][1], strbuf_span(&out));
        strbuf_reset(&out);
        json_add_string(&out, span_cstr(rows[i][0]));
        check_text("json", rows[i][2], span_sub(strbuf_span(&out), 1, out.len - 2));
    }
    check_end();
    strbuf_free(&out);
}

#define TEST(f) cmocka_unit_test(f)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_ascii_classes),
                                       TEST(test_span_compares),
                                       TEST(test_span_trim),
                                       TEST(test_span_sub),
                                       TEST(test_span_find_and_printable),
                                       TEST(test_null_spans),
                                       TEST(test_cursor),
                                       TEST(test_numbers),
                                       TEST(test_nearest),
                                       TEST(test_within),
                                       TEST(test_utf8),
                                       TEST(test_visible_and_json)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
