/* encoded_word: RFC 2047 2, as others write it */
#include "spec/encoded_word.h"

#include "check.h"
#include "generated.h"

static void test_at(void **state)
{
    static const struct {
        const char *text;
        size_t octets; /* of the word; 0: none */
    } rows[] = {
        {"=?UTF-8?B?w6Q=?=", 16},
        {"=?utf-8?b?w6Q=?= more", 16},
        {"=?ISO-8859-1?Q?a_b=E4?=x", 23},
        {"=?iso-8859-1?q?"
         "?=",
         17},
        {"=?x*en?Q?a?=", 12},
        {"=?a?Q?b?=?=", 9}, /* its end is the first one */
        {"=?a?Q?\"<(>)?=", 13},
        {"=?a?Q?b c?=", 0},
        {"=?a b?Q?c?=", 0},
        {"=?a?Q?b\t?=", 0},
        {"=?a?Q?\xc3\xa4?=", 0},
        {"=?a?Q?b\x7f?=", 0},
        {"=??Q?b?=", 0},
        {"=?a?X?b?=", 0},
        {"=?a??b?=", 0},
        {"=?a?QQ?b?=", 0},
        {"=?a?Q?b?", 0},
        {"=?a?Q?b", 0},
        {"=?a?Q?b?x=", 0},
        {"=?a?Q?", 0},
        {"=?a?Q", 0},
        {"=?a?", 0},
        {"=?a", 0},
        {"=?", 0},
        {"=", 0},
        {"", 0},
        {"x=?a?Q?b?=", 0},
        {" =?a?Q?b?=", 0},
    };

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].text);
        check_int("octets", (long long)rows[i].octets,
                  (long long)encoded_word_at(span_cstr(rows[i].text)));
    }
    check_row("NUL");
    check_int("in the text", 0, (long long)encoded_word_at(CHECK_SPAN("=?a?Q?b\0?=")));
    check_int("as encoding", 0, (long long)encoded_word_at(CHECK_SPAN("=?a?\0?b?=")));
    check_end();
}

/* However long; what fits is the caller's to say. */
static void test_long_one(void **state)
{
    char text[300];

    (void)state;
    memset(text, 'x', sizeof text);
    memcpy(text, "=?a?Q?", 6);
    memcpy(text + sizeof text - 2, "?=", 2);
    assert_int_equal(encoded_word_at(span_of(text, sizeof text)), sizeof text);
    assert_int_equal(encoded_word_at(span_of(text, sizeof text - 1)), 0);
}

/* What is written is one word, whatever stands behind it. */
static void test_what_is_written(void **state)
{
    struct generator g = {2047};
    char buffer[ENCODED_WORD_OCTETS];

    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct span text = generated_octets(&g, buffer, sizeof(buffer));
        struct strbuf word = STRBUF_INIT;
        size_t octets;

        check_row_span(text);
        encoded_word_add(&word, text);
        octets = word.len;
        strbuf_add_str(&word, round % 2 == 0 ? " ?=" : "");
        check_int("octets", (long long)octets, (long long)encoded_word_at(strbuf_span(&word)));
        check_bool("seems to be one", true, encoded_word_seems(strbuf_span(&word)));
        strbuf_free(&word);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at),
        cmocka_unit_test(test_long_one),
        cmocka_unit_test(test_what_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
