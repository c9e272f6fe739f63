/* Unit tests of text/utf8 and text/json. */
#include "check.h"

#include "text/json.h"
#include "text/utf8.h"
#include "text/visible.h"

/* RFC 3629 3 and 4 */
static void test_utf8_length(void **state)
{
    static const struct {
        const char *text;
        size_t length;
    } rows[] = {
        {"", 0},
        {"a", 1},
        {"\x7F", 1},
        {"\x80", 0},
        {"\xBF", 0},
        {"\xC0\x80", 0}, /* overlong NUL */
        {"\xC1\xBF", 0},
        {"\xC2\x80", 2},
        {"\xDF\xBF", 2},
        {"\xC2", 0},
        {"\xC2\x7F", 0},
        {"\xC2\xC0", 0},
        {"\xE0\x9F\xBF", 0}, /* overlong */
        {"\xE0\xA0\x80", 3},
        {"\xED\x9F\xBF", 3},
        {"\xED\xA0\x80", 0}, /* surrogate */
        {"\xED\xBF\xBF", 0},
        {"\xEE\x80\x80", 3},
        {"\xEF\xBF\xBF", 3},
        {"\xE2\x82", 0},
        {"\xE2\x82\x41", 0},
        {"\xF0\x8F\xBF\xBF", 0}, /* overlong */
        {"\xF0\x90\x80\x80", 4},
        {"\xF0\x9F\x98\x80z", 4},
        {"\xF4\x8F\xBF\xBF", 4}, /* U+10FFFF */
        {"\xF4\x90\x80\x80", 0},
        {"\xF5\x80\x80\x80", 0},
        {"\xF8\x88\x80\x80\x80", 0},
        {"\xFE", 0},
        {"\xFF", 0},
        {"\xF0\x9F\x98", 0},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct span s = span_cstr(rows[i].text);
        check_row(rows[i].text);
        check_int("octets", (long long)rows[i].length, (long long)utf8_length(s));
        check_bool("valid", rows[i].length > 0 || s.n == 0, utf8_is_valid(s));
    }
    check_end();
    assert_int_equal(utf8_length(CHECK_SPAN("\0")), 1);
    assert_true(utf8_is_valid(span_cstr("Gr\xC3\xBC\xC3\x9F"
                                        "e \xE2\x82\xAC")));
    assert_false(utf8_is_valid(span_cstr("ok\xC3\xBCok\xFC")));
    assert_true(utf8_is_valid(span_of(NULL, 0)));
}

/* Control characters, ends of lines, and what reorders a line for who reads it (UAX 9, 2). */
static void test_visible(void **state)
{
    static const struct {
        const char *text;
        const char *visible;
    } rows[] = {
        {"", ""},
        {"a ~", "a ~"},
        {"a\x1F\x7F\n\t", "a????"},
        {"\xC2\x80\xC2\x9F\xC2\xA0", "??\xC2\xA0"},
        {"\xD8\x9B\xD8\x9C\xD8\x9D", "\xD8\x9B?\xD8\x9D"},
        {"\xE2\x80\x8D\xE2\x80\x8E\xE2\x80\x8F\xE2\x80\x90", "\xE2\x80\x8D??\xE2\x80\x90"},
        {"\xE2\x80\xA7\xE2\x80\xA8\xE2\x80\xA9\xE2\x80\xAA", "\xE2\x80\xA7???"},
        {"\xE2\x80\xAB\xE2\x80\xAC\xE2\x80\xAD\xE2\x80\xAE\xE2\x80\xAF", "????\xE2\x80\xAF"},
        {"\xE2\x81\xA5\xE2\x81\xA6\xE2\x81\xA7", "\xE2\x81\xA5??"},
        {"\xE2\x81\xA8\xE2\x81\xA9\xE2\x81\xAA", "??\xE2\x81\xAA"},
        {"\xE3\x80\xAE\xF0\x9F\x98\x80", "\xE3\x80\xAE\xF0\x9F\x98\x80"},
        {"\xFC\xE2\x80", "???"},
    };
    struct strbuf out = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].text);
        strbuf_reset(&out);
        visible_add(&out, span_cstr(rows[i].text));
        check_text("visible", rows[i].visible, strbuf_span(&out));
    }
    check_end();
    strbuf_free(&out);
}

/* RULINGS 3: ASCII or valid UTF-8, whatever comes in. */
static void test_json_string(void **state)
{
    static const struct {
        const char *text;
        const char *json;
    } rows[] = {
        {"", "\"\""},
        {"plain / text", "\"plain / text\""},
        {"\"\\", "\"\\\"\\\\\""},
        {"a\r\n\tb", "\"a\\r\\n\\tb\""},
        {"\x01\x1F\x7F", "\"\\u0001\\u001f\\u007f\""},
        {"\xC3\xBC\xF0\x9F\x98\x80", "\"\xC3\xBC\xF0\x9F\x98\x80\""},
        {"a\xFC"
         "b",
         "\"a\xEF\xBF\xBD"
         "b\""},
        {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {"\xE2\x82", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
        /* what some readers take for a line end, and what could steer a terminal */
        {"\xC2\x80\xC2\x85\xC2\x9F\xC2\xA0", "\"\\u0080\\u0085\\u009f\xC2\xA0\""},
        {"\xE2\x80\xA7\xE2\x80\xA8\xE2\x80\xA9", "\"\xE2\x80\xA7\\u2028\\u2029\""},
        {"\xD8\x9C\xE2\x80\xAE\xE2\x81\xA9\xD9\x9C", "\"\\u061c\\u202e\\u2069\xD9\x9C\""},
    };
    struct strbuf out = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].text);
        strbuf_reset(&out);
        json_add_string(&out, span_cstr(rows[i].text));
        check_text("json", rows[i].json, strbuf_span(&out));
        check_bool("valid UTF-8", true, utf8_is_valid(strbuf_span(&out)));
    }
    check_end();
    strbuf_reset(&out);
    json_add_string(&out, CHECK_SPAN("\0"));
    assert_string_equal(strbuf_str(&out), "\"\\u0000\"");
    strbuf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_utf8_length),
        cmocka_unit_test(test_visible),
        cmocka_unit_test(test_json_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
