/* phrase: RULINGS 37, RFC 2047 */
#include "spec/phrase.h"

#include "text/utf8.h"

#include "check.h"
#include "generated.h"

#define FIELD_PREFIX 9 /* octets of "List-Id: " */

#define E19                                                                                        \
    "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"             \
    "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
#define E22 E19 "\xc3\xa9\xc3\xa9\xc3\xa9"

/* RULINGS 37 */
static void test_three_forms(void **state)
{
    static const struct {
        const char *text;
        size_t column;
        const char *phrase;
    } rows[] = {
        {"", 9, ""},
        {"  \t ", 9, ""},
        {"Announcements", 9, "Announcements"},
        {"  Example announcements ", 9, "Example announcements"},
        {"R&D {x} a+b=c ~'!#$%^`|*/?_-", 9, "R&D {x} a+b=c ~'!#$%^`|*/?_-"},
        {"two  blanks", 9, "\"two  blanks\""},
        {"Example Inc.", 9, "\"Example Inc.\""},
        {"Lena's Personal Joke List", 9, "Lena's Personal Joke List"},
        {"a, b", 9, "\"a, b\""},
        {"say \"hi\" \\ <x>", 9, "\"say \\\"hi\\\" \\\\ <x>\""},
        {"(comment)", 9, "\"(comment)\""},
        {"Gr\xc3\xbc\xc3\x9f"
         "e",
         9, "=?UTF-8?B?R3LDvMOfZQ==?="},
        {" Ank\xc3\xbcndigungen ", 9, "=?UTF-8?B?QW5rw7xuZGlndW5nZW4=?="},
        /* 39 octets are what the first line has room for behind "List-Id: " */
        {E19 "a", 9, "=?UTF-8?B?w6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6lh?="},
        {E19 "ab", 9,
         "=?UTF-8?B?w6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6lh?=\n =?UTF-8?B?Yg==?="},
        /* a character of two octets that would be cut */
        {E19 "\xc3\xa9", 9,
         "=?UTF-8?B?w6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6k=?=\n =?UTF-8?B?w6k=?="},
        /* 45 octets in the others */
        {E19 "a" E22 "b", 9,
         "=?UTF-8?B?w6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6lh?=\n "
         "=?UTF-8?B?w6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6li?="},
        {E19 "a" E22 "bc", 9,
         "=?UTF-8?B?w6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6lh?=\n "
         "=?UTF-8?B?w6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6li?=\n "
         "=?UTF-8?B?Yw==?="},
        {E22 "bc", 0,
         "=?UTF-8?B?w6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6li?=\n "
         "=?UTF-8?B?Yw==?="},
        {E22 "b", 0, "=?UTF-8?B?w6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6nDqcOpw6li?="},
    };

    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf out = STRBUF_INIT;

        check_row(rows[i].text);
        strbuf_add_str(&out, "x");
        phrase_add(&out, span_cstr(rows[i].text), rows[i].column);
        check_text("phrase", rows[i].phrase, span_sub(strbuf_span(&out), 1, SIZE_MAX));
        strbuf_free(&out);
    }
    check_end();
}

static int base64_value(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c == '\0' ? NULL : strchr(digits, c);

    return at == NULL ? -1 : (int)(at - digits);
}

static void decode_base64(struct span text, struct strbuf *out)
{
    unsigned bits = 0, have = 0;

    for (size_t i = 0; i < text.n && text.p[i] != '='; i++) {
        check_bool("a digit of Base 64", true, base64_value(text.p[i]) >= 0);
        bits = ((bits << 6) | (unsigned)base64_value(text.p[i])) & 0xffff;
        have += 6;
        if (have >= 8) {
            have -= 8;
            strbuf_add_char(out, (char)(unsigned char)(bits >> have));
        }
    }
}

/* One line of a phrase in encoded words: RFC 2047 section 2. */
static void check_word(struct span line, size_t column, struct strbuf *decoded)
{
    struct strbuf octets = STRBUF_INIT;

    check_bool("76 columns", true, column + line.n <= 76);
    check_bool("75 octets", true, line.n <= 75);
    check_bool("begin", true, span_starts_nocase(line, span_cstr("=?UTF-8?B?")));
    check_bool("end", true, span_ends_nocase(line, span_cstr("?=")));
    check_int("groups of four", 0, (long long)(line.n - 12) % 4);
    decode_base64(span_sub(line, 10, line.n - 12), &octets);
    check_bool("45 octets", true, octets.len <= 45);
    check_bool("whole characters", true, utf8_is_valid(strbuf_span(&octets)));
    strbuf_add_span(decoded, strbuf_span(&octets));
    strbuf_free(&octets);
}

static void add_character(struct generator *g, struct strbuf *out)
{
    static const char *const characters[] = {"a",
                                             " ",
                                             "\"",
                                             "\xc3\xa9",
                                             "\xc3\x9f",
                                             "\xe6\x97\xa5",
                                             "\xe8\xaa\x9e",
                                             "?",
                                             "\xf0\x9f\x93\xa7",
                                             "="};

    strbuf_add_str(out, characters[generated_number(g, CHECK_COUNT(characters))]);
}

static void test_encoded_words_give_the_text_back(void **state)
{
    struct generator g = {20240229};

    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct strbuf text = STRBUF_INIT, out = STRBUF_INIT, decoded = STRBUF_INIT;
        size_t column = FIELD_PREFIX;

        strbuf_add_str(&text, "\xc3\xa9");
        for (size_t n = generated_number(&g, 120); n > 0; n--)
            add_character(&g, &text);
        check_row_span(strbuf_span(&text));
        phrase_add(&out, strbuf_span(&text), column);
        struct span rest = strbuf_span(&out);
        for (;;) {
            size_t end = span_find(rest, '\n');
            struct span line = span_sub(rest, 0, end);
            if (column == 1) {
                check_bool("a fold is LF SP", true, line.n > 0 && line.p[0] == ' ');
                line = span_sub(line, 1, line.n);
            }
            check_word(line, column, &decoded);
            if (end == rest.n)
                break;
            rest = span_sub(rest, end + 1, rest.n);
            column = 1;
        }
        check_span("decoded", span_trim(strbuf_span(&text)), strbuf_span(&decoded));
        strbuf_free(&text);
        strbuf_free(&out);
        strbuf_free(&decoded);
    }
    check_end();
}

/* A caller that breaks the contract still gets something that may stand in a header. */
static void test_any_octets_are_harmless(void **state)
{
    struct generator g = {77};
    char buffer[150];

    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct span text = generated_octets(&g, buffer, sizeof(buffer));
        struct strbuf out = STRBUF_INIT;

        check_row_span(text);
        phrase_add(&out, text, FIELD_PREFIX);
        struct span phrase = strbuf_span(&out);
        for (size_t i = 0; i < phrase.n; i++) {
            bool is_fold = phrase.p[i] == '\n' && i + 1 < phrase.n && phrase.p[i + 1] == ' ';
            if (!is_fold)
                check_bool("printable", true, span_is_printable_ascii(span_sub(phrase, i, 1)));
        }
        strbuf_free(&out);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_forms),
        cmocka_unit_test(test_encoded_words_give_the_text_back),
        cmocka_unit_test(test_any_octets_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
