/* Unit tests of mail/address. */
#include "check.h"

#include "mail/address.h"
#include "text/strbuf.h"

#include <stdlib.h>
#include <time.h>

/* RULINGS 21 */
static void test_bare(void **state)
{
    static const struct {
        const char *argument, *bare;
    } rows[] = {
        {"<a@b>", "a@b"}, {"a@b", "a@b"},   {" <a@b> ", "a@b"},   {"< a@b >", "a@b"},
        {"<>", ""},       {"", ""},         {"<", "<"},           {">", ">"},
        {"<a@b", "<a@b"}, {"a@b>", "a@b>"}, {"<<a@b>>", "<a@b>"}, {"<\"a b\"@c>", "\"a b\"@c"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].argument);
        check_text("bare", rows[i].bare, address_bare(span_cstr(rows[i].argument)));
    }
    check_end();
    assert_int_equal(address_bare(span_of(NULL, 0)).n, 0);
}

static void test_parts(void **state)
{
    static const struct {
        const char *address, *local, *domain;
    } rows[] = {
        {"a@b", "a", "b"},
        {"a", "a", ""},
        {"", "", ""},
        {"@", "", ""},
        {"a@", "a", ""},
        {"@b", "", "b"},
        {"\"a@b\"@c", "\"a@b\"", "c"},
        {"a@b@c", "a@b", "c"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].address);
        check_text("local", rows[i].local, address_local(span_cstr(rows[i].address)));
        check_text("domain", rows[i].domain, address_domain(span_cstr(rows[i].address)));
    }
    check_end();
}

/* All addresses of text, joined by "|". */
static void addresses(struct span text, struct strbuf *out)
{
    struct arena arena;
    struct cursor c = cursor_of(text);
    struct span address;
    arena_init(&arena, 0);
    strbuf_reset(out);
    while (address_next(&c, &arena, &address)) {
        if (out->len > 0)
            strbuf_add_char(out, '|');
        strbuf_add_span(out, address);
    }
    arena_free(&arena);
}

/* RULINGS 12: any address of the first From field. RFC 5322 3.4, 4.4 and appendix A */
static void test_lists(void **state)
{
    static const struct {
        const char *text, *addresses;
    } rows[] = {
        {"", ""},
        {" , ,,", ""},
        {"a@b", "a@b"},
        {" a@b , c@d", "a@b|c@d"},
        {"John Doe <jdoe@machine.example>", "jdoe@machine.example"},
        {"<a@b>", "a@b"},
        {"\"Joe Q. Public\" <john.q.public@example.com>", "john.q.public@example.com"},
        {"\"a, b\" <c@d>, e@f", "c@d|e@f"},
        {"\"x@y\" <c@d>", "c@d"},
        {"\"<x@y>\" <c@d>", "c@d"},
        {"\"\\\"<x@y>\" <c@d>", "c@d"},
        {"(a@b) c@d", "c@d"},
        {"(a, <x@y>) c@d (e, f@g)", "c@d"},
        {"Mary Smith <mary@example.net>, , jdoe@test.example",
         "mary@example.net|jdoe@test.example"},
        {"A Group:Ed Jones <joe@where.test>,joe@where.test,John <jdoe@one.test>;",
         "joe@where.test|joe@where.test|jdoe@one.test"},
        {"Undisclosed recipients:;", ""},
        {"Undisclosed recipients:; , a@b", "a@b"},
        {"G:a@b;,c@d", "a@b|c@d"},
        {"G: a@b", "a@b"},
        {"Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>", "pete@silly.test"},
        {"pete ( x ) . smith @ silly . test", "pete.smith@silly.test"},
        {"<@route.example,@two.example:a@b>", "a@b"},
        {"<@route.example : a@b>", "a@b"},
        {"\"a b\"@c", "\"a b\"@c"},
        {"<\"a,b@x\"@c>", "\"a,b@x\"@c"},
        {"a@[192.0.2.1]", "a@[192.0.2.1]"},
        {"a@[IPv6:2001:db8::1], b@c", "a@[IPv6:2001:db8::1]|b@c"},
        {"<a@[IPv6:2001:db8::1]>", "a@[IPv6:2001:db8::1]"},
        {"[List: x] Foo <a@b>", "a@b"},
        {"[Foo <a@b>, c@d", "a@b|c@d"},
        {"Re: Foo <a@b>", "a@b"},
        {"=?utf-8?q?a,_b?= <a@b>", "a@b"},
        {"a..b.@c", "a..b.@c"}, /* not allowed, but real */
        {"j\xC3\xB6rg@b", "j\xC3\xB6rg@b"},
        {"J\xC3\xB6rg <a@b>", "a@b"},
        {"a@b <c@d>", "c@d"},
        {"Mr. O'Brien) \\ <a@b>", "a@b"},
        {"<a@b> trailing words, c@d", "a@b|c@d"},
        {"<a@b> <c@d>", "a@b"},
        /* not understood: skipped up to the next comma */
        {"root, a@b", "a@b"},
        {"<root>, a@b", "a@b"},
        {"John Doe a@b, c@d", "c@d"},
        {"a b@c, d@e", "d@e"},
        {"a@b c, d@e", "d@e"},
        {"@b, d@e", "d@e"},
        {"a@, d@e", "d@e"},
        {"a@b@c, d@e", "d@e"},
        {"a@\"b\", d@e", "d@e"},
        {"<a@b, d@e", "d@e"},
        {"<a b@c>, d@e", "d@e"},
        {"<<a@b>>, d@e", "d@e"},
        {"<>, d@e", "d@e"},
        {"<@x, d@e", ""}, /* a route without its end */
        {"<@x>, d@e", "d@e"},
        {"a@b (never closed, d@e", ""},
        {"\"never closed, d@e", ""},
        {"a@b, \"never closed, d@e", "a@b"},
        {"a@[192.0.2.1, d@e", "d@e"},
        {"<a@b", ""},
        {"<", ""},
        {"<@", ""},
        {"[", ""},
        {"<(never closed a@b>, d@e", ""},
        {"<a@\"never closed>, d@e", ""},
        {"a\x01"
         "b@c, d@e",
         "d@e"},
    };
    struct strbuf out = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].text);
        addresses(span_cstr(rows[i].text), &out);
        check_text("addresses", rows[i].addresses, strbuf_span(&out));
    }
    check_end();
    addresses(CHECK_SPAN("a\0b@c, d@e\0"), &out);
    assert_string_equal(strbuf_str(&out), "");
    addresses(CHECK_SPAN("[\0, \0<d@e>\0"), &out);
    assert_string_equal(strbuf_str(&out), "d@e");
    strbuf_free(&out);
}

/* A megabyte of one thing again and again: no deep stack, and time in proportion to the size (a
 * quadratic parser would need minutes). */
static void test_hostile_lists(void **state)
{
    static const char *const units[] = {
        "(",    "\"",    "<",    "[",     ",",  ":", ";",   "@",    "<@",     "<a",
        "a@b,", "(),",   "[a",   "<[",    "\\", "a", ":<@", "<@a:", "a@",     "@,",
        "<>",   "\"\",", "a@b(", "<a@b>", "[]", ".", "a ",  "<@,",  "a@[b],", "<a@b,"};
    enum { SIZE = 1024 * 1024 };
    char *text = malloc(SIZE);
    struct strbuf out = STRBUF_INIT;
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < CHECK_COUNT(units); i++) {
        size_t n = strlen(units[i]);
        for (size_t at = 0; at < SIZE; at++)
            text[at] = units[i][at % n];
        clock_t begin = clock();
        check_row(units[i]);
        addresses(span_of(text, SIZE), &out);
        check_bool("fast", true, clock() - begin < 5 * CLOCKS_PER_SEC);
    }
    check_end();
    strbuf_free(&out);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bare),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_hostile_lists),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
