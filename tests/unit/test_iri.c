/* iri: AT-07, RULINGS 51, 67; RFC 3987 3.1, RFC 5890, UTS 46 */
#include "spec/iri.h"

#include "spec/uri.h"

#include "check.h"

#define E_ACUTE  "\xc3\xa9"
#define U_UMLAUT "\xc3\xbc"
#define MUNICH   "m" U_UMLAUT "nchen"
#define NIHONGO  "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"

#ifdef HAVE_LIBIDN2
#define WITH_LIBIDN2 true
#else
#define WITH_LIBIDN2 false
#endif

struct row {
    const char *text;
    const char *result; /* NULL: a fault */
    const char *fault;  /* a part of it */
};

typedef const char *conversion(struct span text, struct arena *arena, struct span *out);

static void check_conversion(conversion *convert, const struct row *row)
{
    struct arena arena;
    struct span out = {NULL, 0};
    arena_init(&arena, 0);
    check_row(row->text);
    const char *fault = convert(span_cstr(row->text), &arena, &out);
    check_bool("fault", row->result == NULL, fault != NULL);
    if (row->result != NULL && fault == NULL)
        check_text("converted", row->result, out);
    if (fault != NULL && row->fault != NULL)
        check_bool(fault, true, strstr(fault, row->fault) != NULL);
    arena_free(&arena);
}

/* Everything but host names needs no libidn2. */
static void test_percent_encoding(void **state)
{
    static const struct row rows[] = {
        {"", "", NULL},
        {"https://h/a%20b?c#d", "https://h/a%20b?c#d", NULL},
        {"https://h/" E_ACUTE "/%C3%A9?q=" E_ACUTE "#" E_ACUTE,
         "https://h/%C3%A9/%C3%A9?q=%C3%A9#%C3%A9", NULL},
        /* not normalized: octet by octet (RULINGS 51) */
        {"https://h/e\xcc\x81", "https://h/e%CC%81", NULL},
        {"https://h/" NIHONGO "/\xf0\x9f\x92\xa9",
         "https://h/%E6%97%A5%E6%9C%AC%E8%AA%9E/%F0%9F%92%A9", NULL},
        /* user and port are no part of the host name */
        {"https://" E_ACUTE ":" E_ACUTE "@h:80/", "https://%C3%A9:%C3%A9@h:80/", NULL},
        {"https://h:" E_ACUTE "/", "https://h:%C3%A9/", NULL},
        {"https://[2001:db8::1]/" E_ACUTE, "https://[2001:db8::1]/%C3%A9", NULL},
        {"https://[" E_ACUTE "]/", "https://[%C3%A9]/", NULL},
        {"https://h?" E_ACUTE, "https://h?%C3%A9", NULL},
        {"https://h#@" E_ACUTE ".x", "https://h#@%C3%A9.x", NULL},
        {"https:///" E_ACUTE, "https:///%C3%A9", NULL},
        /* no authority, so no host name (RULINGS 67) */
        {"mailto:list@" MUNICH ".example", "mailto:list@m%C3%BCnchen.example", NULL},
        {"mailto:" E_ACUTE "@h?subject=" E_ACUTE, "mailto:%C3%A9@h?subject=%C3%A9", NULL},
        {"//" E_ACUTE ".x/", "//%C3%A9.x/", NULL},
        {"1x://" E_ACUTE ".x/", "1x://%C3%A9.x/", NULL},
        {"://" E_ACUTE ".x/", "://%C3%A9.x/", NULL},
        {"https:/" E_ACUTE ".x/", "https:/%C3%A9.x/", NULL},
        {E_ACUTE "://h/", "%C3%A9://h/", NULL},
        /* templates: braces and what is in them stay */
        {"{archive}/" E_ACUTE "/{message_id:3}", "{archive}/%C3%A9/{message_id:3}", NULL},
        {"https://{list_label:3}.x/" E_ACUTE "{a}", "https://{list_label:3}.x/%C3%A9{a}", NULL},
        {"https://h/{" E_ACUTE "}" E_ACUTE, "https://h/{" E_ACUTE "}%C3%A9", NULL},
        {"https://h/{" E_ACUTE, "https://h/{%C3%A9", NULL},
        {"https://h/}" E_ACUTE, "https://h/}%C3%A9", NULL},
        /* invalid UTF-8, wherever it is */
        {"https://h/\xe9", NULL, "not UTF-8"},
        {"https://\xe9.x/", NULL, "not UTF-8"},
        {"https://h/{\xe9}", NULL, "not UTF-8"},
        {"https://h/\xed\xa0\x80", NULL, "not UTF-8"},
        {"https://h/" E_ACUTE "\xc3", NULL, "not UTF-8"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++)
        check_conversion(iri_to_uri, &rows[i]);
    check_end();
}

static const struct row hosts[] = {
    {"https://" MUNICH ".example/" E_ACUTE, "https://xn--mnchen-3ya.example/%C3%A9", NULL},
    {"HTTPS://WWW.M\xc3\x9cNCHEN.Example", "HTTPS://www.xn--mnchen-3ya.example", NULL},
    /* ideographic and full-width dots between labels of ASCII */
    {"https://a\xe3\x80\x82"
     "b\xef\xbc\x8e"
     "c\xef\xbd\xa1/",
     "https://a.b.c./", NULL},
    /* normalized first */
    {"https://mu\xcc\x88nchen.example/", "https://xn--mnchen-3ya.example/", NULL},
    {"ftp://" E_ACUTE "@" MUNICH ":21/{a}", "ftp://%C3%A9@xn--mnchen-3ya:21/{a}", NULL},
    {"https://a@b@" MUNICH "/", "https://a@b@xn--mnchen-3ya/", NULL},
    {"https://" NIHONGO "\xe3\x80\x82jp./?" E_ACUTE, "https://xn--wgv71a119e.jp./?%C3%A9", NULL},
    /* IDNA2008, not transitional: RFC 5894 7.2 */
    {"https://fa\xc3\x9f.de/", "https://xn--fa-hia.de/", NULL},
    {"https://\xef\xbd\x97\xef\xbd\x97\xef\xbd\x97.example/", "https://www.example/", NULL},
    {"https://_dmarc.a_b." MUNICH "/", "https://_dmarc.a_b.xn--mnchen-3ya/", NULL},
    /* RULINGS 108: such a name is written as A-labels */
    {"https://{list_label}." MUNICH ".x:{day}/" E_ACUTE, NULL, "a variable in"},
    {"https://" MUNICH ".{address_domain}/", NULL, "a variable in"},
    {"https://{list_label}" E_ACUTE ".x/", NULL, "a variable in"},
    {"https://" E_ACUTE "{list_label}.x/", NULL, "a variable in"},
    {"https://" E_ACUTE "{.x/", NULL, "a variable in"},
    {"https://." MUNICH "/", NULL, "no international domain name"},
    {"https://a.." MUNICH "/", NULL, "no international domain name"},
    {"https://" MUNICH "../", NULL, "no international domain name"},
    /* of these, one becomes "a/c", others lose a character in libidn2 */
    {"https://\xe2\x84\x80.x/", NULL, "no international domain name"},
    {"https://" E_ACUTE "_x/", NULL, "no international domain name"},
    {"https://" E_ACUTE "%41/", NULL, "no international domain name"},
    {"https://" E_ACUTE " x/", NULL, "no international domain name"},
    {"https://\xc2\xad.x/", NULL, "no international domain name"},
    {"https://\xef\xbc\x8f.x/", NULL, "no international domain name"},
    /* not allowed: snowman, hyphen at the end, a combining mark first, right-to-left mixed */
    {"https://\xe2\x98\x83.x/", NULL, "no international domain name"},
    {"https://" E_ACUTE "-.x/", NULL, "no international domain name"},
    {"https://\xcc\x88u.x/", NULL, "no international domain name"},
    {"https://a\xd9\x85\xd8\xab.x/", NULL, "no international domain name"},
    {"https://xn--" E_ACUTE ".x/", NULL, "no international domain name"},
    /* 63 octets at most: 59 characters and this one; and what is far longer */
    {"https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" E_ACUTE "/", NULL,
     "no international domain name"},
};

static void test_host_names(void **state)
{
    (void)state;
    if (!WITH_LIBIDN2) {
        check_skip("libidn2 is not built in");
        return;
    }
    for (size_t i = 0; i < CHECK_COUNT(hosts); i++)
        check_conversion(iri_to_uri, &hosts[i]);
    check_end();
}

/* Without libidn2 a configuration that needs it is refused, never taken as it is. */
static void test_without_libidn2(void **state)
{
    static const struct row rows[] = {
        {MUNICH ".example", NULL, "needs libidn2"},
        {"https://" MUNICH ".example/", NULL, "needs libidn2"},
    };
    (void)state;
    if (WITH_LIBIDN2) {
        check_skip("libidn2 is built in");
        return;
    }
    check_conversion(domain_to_ascii, &rows[0]);
    check_conversion(iri_to_uri, &rows[1]);
    check_end();
}

/* AT-07: the domain of an address */
static void test_domains(void **state)
{
    static const struct row rows[] = {
        {MUNICH ".example", "xn--mnchen-3ya.example", NULL},
        {NIHONGO "." NIHONGO, "xn--wgv71a119e.xn--wgv71a119e", NULL},
        {E_ACUTE ".", "xn--9ca.", NULL},
        {"{" E_ACUTE "}.x", NULL, "no international domain name"},
        {"{a}." E_ACUTE, NULL, "no international domain name"},
        {"[" E_ACUTE "]", NULL, "no international domain name"},
        {E_ACUTE "@x", NULL, "no international domain name"},
        {"." E_ACUTE, NULL, "no international domain name"},
        {"\xe9.x", NULL, "not UTF-8"},
    };
    static const struct row ascii[] = {
        {"Lists.Example.org", "Lists.Example.org", NULL},
        {"[IPv6:::1]", "[IPv6:::1]", NULL},
        {"xn--nonsense-", "xn--nonsense-", NULL},
        {"", "", NULL},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(ascii); i++)
        check_conversion(domain_to_ascii, &ascii[i]);
    check_end();
    if (!WITH_LIBIDN2) {
        check_skip("libidn2 is not built in");
        return;
    }
    for (size_t i = 0; i < CHECK_COUNT(rows); i++)
        check_conversion(domain_to_ascii, &rows[i]);
    check_end();
}

/* A NUL of a message is a byte of the text. */
static void test_nul(void **state)
{
    struct arena arena;
    struct span uri;
    (void)state;
    arena_init(&arena, 0);
    assert_null(iri_to_uri(CHECK_SPAN("https://h/" E_ACUTE "\0x"), &arena, &uri));
    assert_true(span_eq(uri, CHECK_SPAN("https://h/%C3%A9\0x")));
    arena_free(&arena);
}

/* ASCII is not copied. */
static void test_ascii_is_itself(void **state)
{
    struct span text = span_cstr("https://h/{x}"), out = {NULL, 0};
    (void)state;
    assert_null(iri_to_uri(text, NULL, &out));
    assert_ptr_equal(text.p, out.p);
    assert_null(domain_to_ascii(text, NULL, &out));
    assert_ptr_equal(text.p, out.p);
    assert_null(iri_to_uri(span_of(NULL, 0), NULL, &out));
    assert_int_equal(0, out.n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_percent_encoding), cmocka_unit_test(test_host_names),
        cmocka_unit_test(test_without_libidn2),  cmocka_unit_test(test_domains),
        cmocka_unit_test(test_ascii_is_itself),  cmocka_unit_test(test_nul),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
