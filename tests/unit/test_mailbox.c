/* spec/mailbox: RULINGS 12, 21 */
#include <config.h>

#include "check.h"

#include "spec/mailbox.h"

#include "text/strbuf.h"

struct row {
    const char *address, *mailbox;
};

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct arena arena;
        struct span mailbox;
        arena_init(&arena, 0);
        check_row(rows[i].address);
        mailbox = mailbox_of(span_cstr(rows[i].address), &arena);
        check_text("mailbox", rows[i].mailbox, mailbox);
        arena_free(&arena);
    }
    check_end();
}

/* One mailbox: every spelling that Postfix or Sendmail delivers to it by itself. */
static void test_spellings(void **state)
{
    static const char *const spellings[] = {
        "team@x.example",
        "<team@x.example>",
        " <team@x.example> ",
        "< team@x.example >",
        "<\"team\"@x.example>",
        "\"team\"@x.example",
        "<te\\am@x.example>",
        "<\\t\\e\\a\\m@x.example>",
        "<\"te\\am\"@x.example>",
        "<\"te\"am@x.example>",
        "<te\"am\"@x.example>",
        "<\"\"team@x.example>",
        "<team@x.example.>",
        "<team(c)@x.example>",
        "<(c)team@x.example>",
        "<team@(c)x.example>",
        "<team@x.example(c)>",
        "<team@x(c).example>",
        "<team@x .example>",
        "<team@x. example>",
        "<team @ x.example>",
        "<team\t@\tx.example>",
        "<team(a(b)\\)c)@x.example>",
        "<@a.example:team@x.example>",
        "<@a,@b:team@x.example>",
        "<@a, @b : team@x.example>",
        "<@[192.0.2.1]:team@x.example>",
        "<@[IPv6:2001:db8::1]:team@x.example>",
        "<@a:@b:team@x.example>",
        "<@a:\"team\"(c)@x.example.>",
        "Team <team@x.example>",
        "\"a<b>c@d\" <team@x.example>",
        "(a <b@c>) team@x.example",
        "<team@x.example> ORCPT=x",
    };
    struct row rows[CHECK_COUNT(spellings)];
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(spellings); i++)
        rows[i] = (struct row){spellings[i], "team@x.example"};
    check_rows(rows, CHECK_COUNT(rows));
}

/* Nothing is guessed, and nothing is nobody. */
static void test_others(void **state)
{
    static const struct row rows[] = {
        {"", ""},
        {"<>", ""},
        {"< >", ""},
        {"team", "team"},
        {"<\"team\">", "team"},
        {"TEAM@X.Example", "TEAM@X.Example"}, /* who compares looks past letter case */
        {"te am@x", "te am@x"},
        {"te(c)am@x", "te am@x"},
        {"\"te am\"@x", "te am@x"},
        {"te .am@x", "te.am@x"},
        {"te..am@x", "te..am@x"},
        {"team.@x", "team.@x"},
        {"team@x..", "team@x."},
        {"team@.", "team@."},
        {"team@", "team@"},
        {"@x", "@x"},
        {"@x:", ""},
        {"@a:@x", "@x"},
        {"\"\"@x", "@x"},
        {"\"\"@a:b@x", "@a:b@x"}, /* no route: there is a local part */
        {"team+a@x", "team+a@x"},
        {"\"team+a\"@x", "team+a@x"},
        {"team%y@x", "team%y@x"},
        {"y!team@x", "y!team@x"},
        {"y!team", "y!team"},
        {"\"team@y\"@x", "team@y@x"},
        {"\"team@y\"", "team@y@"}, /* the @ is quoted: no domain */
        {"team@y@x", "team@y@x"},
        {"team@[192.0.2.1]", "team@[192.0.2.1]"},
        {"team@ [ 192.0.2.1 ] ", "team@[ 192.0.2.1 ]"},
        {"team@[192.0.2.1]x.", "team@[192.0.2.1]x"},
        {"team@[a.", "team@[a"},
        {"team@[]", "team@[]"},
        {"team@[127.0.0.1].", "team@[127.0.0.1]"},
        {"team@[127.00.000.01]", "team@[127.00.000.01]"},
        {"K\xE2\x84\xAA\xC5\xBF@x", "Kks@x"}, /* U+212A and U+017F fold to ASCII */
        {"\xEF\xAC\x83\xEF\xAC\x85\xC3\x9F\xE1\xBA\x9E", "ffistssss"},
        {"T\xC3\x8B"
         "AM@x",
         "T\xC3\xAB"
         "AM@x"},
        {"\xD0\x94\xD0\x81@x", "\xD0\xB4\xD1\x91@x"},
        {"\xC4\x90\xC5\xBD\xCE\xA0@x", "\xC4\x91\xC5\xBE\xCF\x80@x"},
        {"\xE2\x84\xAA\xFF@[1.2.3.4]", "k\xFF@[1.2.3.4]"},
        {"\"team@x", "team@x@"},
        {"team(@x", "team"},
        {"team\\", "team\\"},
        {"team@x\\", "team@x\\"},
        {"<team@x", "team@x"},
        {"team@x>", "team@x>"},
        {"<a@b> <team@x>", "a@b"},
        {"<a <b@c>", "b@c"},
        {"te,am@x", "te,am@x"},
        {"t\xC3\xA9\x61m@x", "t\xC3\xA9\x61m@x"},
        {"team@\xFF", "team@\xFF"}, /* no UTF-8: as it is */
#ifdef HAVE_LIBIDN2
        {"team@b\xC3\xBC\x63her.example", "team@xn--bcher-kva.example"},
        {"\"team\"@B\xC3\x9C\x63her.Example.", "team@xn--bcher-kva.example"},
        {"<@b\xC3\xBC:team@b\xC3\xBC>", "team@xn--b-eha"},
#else
        {"team@b\xC3\xBC\x63her.example", "team@b\xC3\xBC\x63her.example"},
#endif
    };
    (void)state;
    check_rows(rows, CHECK_COUNT(rows));
}

static void test_nul(void **state)
{
    struct arena arena;
    struct span mailbox;
    (void)state;
    arena_init(&arena, 0);
    mailbox = mailbox_of(span_of("a\0b@\"x", 6), &arena);
    assert_true(span_eq(mailbox, span_of("a\0b@x", 5)));
    mailbox = mailbox_of(span_of("a@[IPv6:::1\0]", 13), &arena);
    assert_true(span_eq(mailbox, span_of("a@[IPv6:::1\0]", 13)));
    arena_free(&arena);
}

/* Appends all mailboxes of a list, joined by "|". */
static void addresses(struct span text, struct strbuf *out)
{
    struct arena arena;
    struct cursor c = cursor_of(text);
    struct span address;
    arena_init(&arena, 0);
    strbuf_reset(out);
    while (mailbox_next(&c, &arena, &address)) {
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
        {"@handle <@a:b@c>, d@e", "b@c|d@e"},
        {"@[x <@[y], @z:b@c>", "b@c"},
        {"<@[<@[x]:a@b>", "a@b"},
        {"<@[<@x:a@b>", "a@b"},
        {"<@[x<@[y]z@b>", "@[y]z@b"},
        {"@[x],<@[y], @[z]:a@b>", "a@b"},
        {"<@route.example : a@b>", "a@b"},
        {"\"a b\"@c", "a b@c"},
        {"<\"a,b@x\"@c>", "a,b@x@c"},
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
        /* no local part or no domain: skipped */
        {"root, a@b", "a@b"},
        {"<root>, a@b", "a@b"},
        {"@b, d@e", "d@e"},
        {"a@, d@e", "d@e"},
        {"<>, d@e", "d@e"},
        {"<@x>, d@e", "d@e"},
        {"\"a@b\", d@e", "d@e"},
        {"\"never closed, d@e", ""},
        {"a@b, \"never closed, d@e", "a@b"},
        /* wrong, but as mailbox_of reads it */
        {"a@b@c, d@e", "a@b@c|d@e"},
        {"a b@c, d@e", "a b@c|d@e"},
        {"<a b@c>, d@e", "a b@c|d@e"},
        {"<<a@b>>, d@e", "a@b|d@e"},
        {"a@b (never closed, d@e", "a@b"},
        {"<a@b", "a@b"},
        {"a@[192.0.2.1, d@e", "a@[192.0.2.1|d@e"},
        {"<@x, d@e", "@x, d@e"}, /* a route without its end */
        {"<", ""},
        {"<@", ""},
        {"[", ""},
    };
    struct strbuf out = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].text);
        addresses(span_cstr(rows[i].text), &out);
        check_text("addresses", rows[i].addresses, strbuf_span(&out));
    }
    check_end();
    addresses(CHECK_SPAN("[\0, \0<d@e>\0"), &out);
    assert_string_equal(strbuf_str(&out), "d@e");
    strbuf_free(&out);
}

/* RULINGS 117: blanks at the ends of an item do not count, all other bytes do. */
static void test_long_items(void **state)
{
    enum { MOST = 2048, BLANKS = 10 };
    static const struct {
        const char *begin, *end;
    } rows[] = {{"", "@b"}, {"<", "@b>"}, {"(", ") a@b"}, {"\"", "\" <a@b>"}, {"<@", ":a@b>"}};
    struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < 2 * CHECK_COUNT(rows); i++) {
        const char *begin = rows[i / 2].begin, *end = rows[i / 2].end;
        size_t around = strlen(begin) + strlen(end), n = MOST + i % 2 - around;
        strbuf_reset(&text);
        strbuf_addf(&text, "%*s%s", BLANKS, "", begin);
        for (size_t k = 0; k < n; k++)
            strbuf_add_char(&text, 'a');
        strbuf_addf(&text, "%s%*s, d@e", end, BLANKS, "");
        addresses(strbuf_span(&text), &out);
        check_row(begin);
        check_bool("an address", i % 2 == 0, span_find(strbuf_span(&out), '|') < out.len);
        check_span("the next", span_cstr("d@e"), span_sub(strbuf_span(&out), out.len - 3, 3));
    }
    check_end();
    strbuf_free(&text);
    strbuf_free(&out);
}

/* RFC 6068 2 */
static void test_mailto(void **state)
{
    static const struct {
        const char *uri;
        bool named;
    } rows[] = {
        {"mailto:dev+owner@x.example", true},
        {"MAILTO:dev%2Bowner@x.example?subject=a", true},
        {"mailto:dev%2bOWNER%40X.example", true},
        {"mailto:a@b,dev+owner@x.example,c@d", true},
        {"mailto:%22dev+owner%22@x.example.", true},
        {"mailto:a@b?to=dev+owner@x.example", false},
        {"mailto:dev@x.example", false},
        {"mailto:dev%2+owner@x.example", false},
        {"mailto:dev+owner@x.example%", false},
        {"mailto:", false},
        {"mailto:,", false},
        {"https:dev+owner@x.example", false},
        {"", false},
    };
    struct arena arena;
    struct span found[3];
    size_t count;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        bool named = false;
        check_row(rows[i].uri);
        count = 0;
        mailboxes_of_mailto(span_cstr(rows[i].uri), &arena, found, 3, &count);
        for (size_t k = 0; k < count; k++)
            named |= span_eq_nocase(found[k], span_cstr("dev+owner@x.example"));
        check_bool("named", rows[i].named, named);
    }
    check_end();
    count = 0;
    mailboxes_of_mailto(span_cstr("mailto:,<>"), &arena, found, 3, &count);
    assert_int_equal(count, 0); /* the null sender is nobody's address */
    mailboxes_of_mailto(span_cstr("mailto:a@x,b@x,c@x,d@x"), &arena, found, 3, &count);
    assert_int_equal(count, 3);
    arena_free(&arena);
}

/* RFC 6068 2 */
static void test_of_mailto(void **state)
{
    static const struct row rows[] = {
        {"mailto:team@x.example", "team@x.example"},
        {"MailTo:team%40x.example?subject=a,b@c", "team@x.example"},
        {"mailto:%22te%20am%22@x.example", "te am@x.example"},
        {"mailto:team@x.example,other@y.example", "team@x.example"},
        {"mailto:%22a%2Cb%22@x.example", "a,b@x.example"},
        {"mailto:,other@y.example", "other@y.example"}, /* the first one is none */
        {"mailto:team", ""},
        {"mailto:%@x.example", "%@x.example"},
        {"mailto:a%4@%", "a%4@%"},
        {"mailto:?to=team@x.example", ""},
        {"mailto:", ""},
        {"https:team@x.example", ""},
        {"team@x.example", ""},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct arena arena;
        struct span mailbox = span_of("", 0);
        size_t count = 0;
        arena_init(&arena, 0);
        check_row(rows[i].address);
        mailboxes_of_mailto(span_cstr(rows[i].address), &arena, &mailbox, 1, &count);
        check_text("mailbox", rows[i].mailbox, count == 1 ? mailbox : span_of("", 0));
        arena_free(&arena);
    }
    check_end();
}

/* RFC 5322 3.6.2 */
static void test_author_domain(void **state)
{
    static const struct row rows[] = {
        {"a@x.example", "x.example"},
        {"A <a@x.example>", "x.example"},
        {"\"b@y.example\" <a@x.example> (c@z.example)", "x.example"},
        {"a@x.example, b@y.example", "x.example"},
        {"(b@y.example) a@X.example", "X.example"},
        {"\"a@y.example\"@x.example", "x.example"},
        {"a", ""},
        {"A <>", ""},
        {"", ""},
        {"@x.example", ""},
        /* malformed: a name of two words is no domain */
        {"(c) a@x.example y", ""},
        {"a@x.example\ty", ""},
        {"a@x (c) y", ""},
        {"a@\"x y\"", ""},
        {"a@x.example y, b@z.example", ""},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct arena arena;
        struct span domain = span_cstr("not set");
        arena_init(&arena, 0);
        check_row(rows[i].address);
        domain = mailbox_author_domain(span_cstr(rows[i].address), &arena);
        check_text("domain", rows[i].mailbox, domain);
        arena_free(&arena);
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spellings), cmocka_unit_test(test_others),
        cmocka_unit_test(test_nul),       cmocka_unit_test(test_mailto),
        cmocka_unit_test(test_of_mailto), cmocka_unit_test(test_author_domain),
        cmocka_unit_test(test_lists),     cmocka_unit_test(test_long_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
