/* Unit tests of text/stencil. */
#include "check.h"

#include "text/stencil.h"

#include <stdlib.h>
#include <string.h>

static const struct stencil_values of_dev = {
    {{"dev@a.example", 13}, {"dev.a.example", 13}, {"dev", 3}, {"dev", 3}, {"a.example", 9}}};
static const struct stencil_values of_ops = {
    {{"ops@b.example", 13}, {"ops.b.example", 13}, {"ops", 3}, {"ops", 3}, {"b.example", 9}}};

/* The text of a stencil in memory of exactly its size. */
static void check_stencil_text(struct span stencil, const struct stencil_values *values,
                               struct span text)
{
    size_t length = stencil_length(stencil, values);
    char *written = malloc(length + 1);
    assert_non_null(written);
    stencil_write(stencil, values, written);
    check_span("text", text, span_of(written, length));
    assert_true(stencil_is(stencil, values, text));
    free(written);
}

static void test_made_and_written(void **state)
{
    static const struct {
        struct span text, stencil;
    } rows[] = {
        {CHECK_LITERAL(""), CHECK_LITERAL("")},
        {CHECK_LITERAL("dev"), CHECK_LITERAL("\3")},
        {CHECK_LITERAL("de"), CHECK_LITERAL("de")},
        {CHECK_LITERAL("<mailto:dev@a.example>"), CHECK_LITERAL("<mailto:\1>")},
        {CHECK_LITERAL("dev.a.example dev-leave@a.example"), CHECK_LITERAL("\2 \3-leave@\5")},
        {CHECK_LITERAL("devdev"), CHECK_LITERAL("\3\3")},
        /* One value in another's place: found as it stands, whatever it was meant to be. */
        {CHECK_LITERAL("developers"), CHECK_LITERAL("\3elopers")},
        /* Octets that stand for values, and those beside them. */
        {CHECK_LITERAL("\0\1\6\7\b"), CHECK_LITERAL("\0\7\1\7\6\7\7\b")},
        {CHECK_LITERAL("\7dev\7"), CHECK_LITERAL("\7\7\3\7\7")},
        {CHECK_LITERAL("\377\200dev"), CHECK_LITERAL("\377\200\3")},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf out = STRBUF_INIT;
        stencil_add(&out, rows[i].text, &of_dev);
        check_row_span(rows[i].text);
        check_span("stencil", rows[i].stencil, strbuf_span(&out));
        check_stencil_text(strbuf_span(&out), &of_dev, rows[i].text);
        strbuf_free(&out);
    }
    check_end();
}

static void test_other_values(void **state)
{
    struct span stencil = CHECK_SPAN("<\1>, \3-leave@\5");
    (void)state;
    check_stencil_text(stencil, &of_dev, span_cstr("<dev@a.example>, dev-leave@a.example"));
    check_stencil_text(stencil, &of_ops, span_cstr("<ops@b.example>, ops-leave@b.example"));
    /* Another text, a shorter and a longer one. */
    assert_false(stencil_is(stencil, &of_dev, span_cstr("<ops@b.example>, ops-leave@b.example")));
    assert_false(stencil_is(stencil, &of_dev, span_cstr("<dev@a.example>, dev-leave@a.exampl")));
    assert_false(stencil_is(stencil, &of_dev, span_cstr("<dev@a.example>, dev-leave@a.examplee")));
    assert_false(stencil_is(stencil, &of_dev, span_cstr("")));
    assert_false(stencil_is(CHECK_SPAN(""), &of_dev, span_cstr("x")));
    /* A value that is not there. */
    check_stencil_text(CHECK_SPAN("a\6b"), &of_dev, span_cstr("ab"));
    /* Cut off behind the octet that stands in front of one: nothing is read behind it. */
    check_stencil_text(span_of("a\7\1", 2), &of_dev, span_cstr("a"));
    check_end();
}

/* Any text comes back, whatever the values are. */
static void test_comes_back(void **state)
{
    static const char octets[] = "\0\1\2\7\10aab@.";
    unsigned seed = 1;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        char room[24];
        struct stencil_values values;
        struct strbuf out = STRBUF_INIT;
        for (size_t i = 0; i < sizeof room; i++) {
            seed = seed * 1103515245u + 12345u;
            room[i] = octets[(seed >> 16) % (sizeof octets - 1)];
        }
        for (size_t i = 0; i < STENCIL_VALUES; i++)
            values.of[i] = span_of(room + i, (seed >> (8 + i)) % 4);
        struct span text = span_of(room + 4, (seed >> 20) % 20);
        check_row_span(text);
        stencil_add(&out, text, &values);
        check_stencil_text(strbuf_span(&out), &values, text);
        strbuf_free(&out);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made_and_written),
        cmocka_unit_test(test_other_values),
        cmocka_unit_test(test_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
