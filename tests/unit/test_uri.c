/* uri: RFC 3986, LH-05, LH-14, RULINGS 35, 44, 63 */
#include "spec/uri.h"

#include "check.h"
#include "generated.h"

/* RULINGS 44 */
static void test_escape(void **state)
{
    static const struct {
        const char *text, *path, *query;
    } rows[] = {
        {"", "", ""},
        {"AZaz09-._~", "AZaz09-._~", "AZaz09-._~"},
        {"!$&'()*+,;=:@", "!$&'()*+,;=:@", "%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A%40"},
        {"/%?#", "%2F%25%3F%23", "%2F%25%3F%23"},
        {" \"<>\\^`{|}[]", "%20%22%3C%3E%5C%5E%60%7B%7C%7D%5B%5D",
         "%20%22%3C%3E%5C%5E%60%7B%7C%7D%5B%5D"},
        {"\x01\x7f\t", "%01%7F%09", "%01%7F%09"},
        {"\xc3\xa9\xe9\xff", "%C3%A9%E9%FF", "%C3%A9%E9%FF"},
        {"bug-212197-199747@https.bugzilla.kernel.org/",
         "bug-212197-199747@https.bugzilla.kernel.org%2F",
         "bug-212197-199747%40https.bugzilla.kernel.org%2F"},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct strbuf path = STRBUF_INIT, query = STRBUF_INIT;
        check_row(rows[i].text);
        uri_escape(&path, span_cstr(rows[i].text), URI_PATH);
        uri_escape(&query, span_cstr(rows[i].text), URI_QUERY);
        check_text("path", rows[i].path, strbuf_span(&path));
        check_text("query", rows[i].query, strbuf_span(&query));
        strbuf_free(&path);
        strbuf_free(&query);
    }
    check_row("a NUL");
    struct strbuf mailto = STRBUF_INIT;
    uri_escape(&mailto, span_cstr("r&d=x;y+z'*!$,:@h/%?#[]"), URI_MAILTO);
    check_text("mailto (RFC 6068, RULINGS 85)", "r%26d%3Dx%3By+z'*!$,:@h%2F%25%3F%23%5B%5D",
               strbuf_span(&mailto));
    strbuf_free(&mailto);
    struct strbuf out = STRBUF_INIT;
    uri_escape(&out, CHECK_SPAN("a\0b"), URI_PATH);
    check_text("path", "a%00b", strbuf_span(&out));
    strbuf_free(&out);
    check_end();
}

/* Any octets, escaped, may stand in a path segment or a query, and are those octets still. */
static void test_escape_any_octets(void **state)
{
    struct generator g = {1};
    char buffer[64];
    (void)state;
    for (int round = 0; round < 4000; round++) {
        struct span text = generated_octets(&g, buffer, sizeof(buffer));
        enum uri_part part = round % 2 == 0 ? URI_PATH : URI_QUERY;
        struct strbuf out = STRBUF_INIT, back = STRBUF_INIT;
        check_row_span(text);
        strbuf_add_str(&out, part == URI_PATH ? "https://h/" : "https://h/?q=");
        size_t start = out.len;
        uri_escape(&out, text, part);
        check_str("fault", NULL, uri_fault(strbuf_span(&out)));
        struct span escaped = span_sub(strbuf_span(&out), start, SIZE_MAX);
        check_int("no gen-delims but : @", (long long)escaped.n,
                  (long long)strcspn(strbuf_str(&out) + start, "/?#[]"));
        for (size_t i = 0; i < escaped.n; i++) {
            unsigned octet = (unsigned char)escaped.p[i];
            if (octet == '%' && i + 2 < escaped.n + 0u &&
                sscanf(escaped.p + i + 1, "%2X", &octet) == 1)
                i += 2;
            strbuf_add_char(&back, (char)(unsigned char)octet);
        }
        check_span("unescaped", text, strbuf_span(&back));
        strbuf_free(&out);
        strbuf_free(&back);
    }
    check_end();
}

static void test_good_uris(void **state)
{
    static const char *const rows[] = {
        "https://lists.example.org/announce/",
        "http://example.org",
        "HTTPS://example.org/",
        "https://user:pass@example.org:8443/a;b=c/d,e?x=1&y=/?:@#frag/?:@",
        "https://user@example.org",
        "https://192.0.2.1/",
        "https://[2001:db8::1]/a",
        "https://[2001:db8::1]:8080/a",
        "https://u@[::ffff:192.0.2.1]?q",
        "https://[1:2:3:4:5:6:7:8:9]/", /* B13: the groups are not counted */
        "https://example.org:/",
        "https://example.org?q",
        "https://example.org#f",
        "https://example.org//a//",
        "https://xn--bcher-kva.example/",
        "https://b%C3%BCcher.example/%7Euser/%2f",
        "ftp://ftp.example.org/pub",
        "mailto:list@example.org",
        "MAILTO:announce-request@lists.example.org?subject=help",
        "mailto:a@example.org,b@example.org?subject=a%20b&body=(x)!$'*+;",
        "mailto:?to=list@example.org&subject=x",
        "mailto:?to=list%40example.org",
        "mailto:leave,u%40example.org",
        "mailto:?subject=x&TO=list@example.org",
        "mailto:%22not%40me%22@example.org",
        "news:comp.lang.c",
        "nntp://news.example.org/group",
        "ldap:///dc=example,dc=org",
        "urn:x-lists:announce",
        "xmpp:room@example.org?join",
        "tel:+49-30-123456",
        "web+x.y-1:z",
        "https://h/filejavascript:data:x",
        "files:x",
        "https://h/a%00",
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i]);
        check_str("fault", NULL, uri_fault(span_cstr(rows[i])));
    }
    check_end();
}

static void test_bad_uris(void **state)
{
    static const struct {
        const char *uri;
        const char *fault; /* a part of it */
    } rows[] = {
        {"", "is empty"},
        /* LH-05 */
        {"https://h/a b", "has a blank"},
        {" https://h/", "has a blank"},
        {"https://h/\t", "has a blank"},
        {"https://h/\n", "has a control character"},
        {"https://h/\x7f", "has a control character"},
        {"https://h/\xc3\xa9", "not ASCII"},
        {"https://h/<x>", "has one of the characters"},
        {"<https://h/>", "has one of the characters"},
        {"https://h/{x}", "has one of the characters"},
        {"https://h/}", "has one of the characters"},
        {"https://h/\"", "has one of the characters"},
        {"https://h/\\", "has one of the characters"},
        {"https://h/^", "has one of the characters"},
        {"https://h/`", "has one of the characters"},
        {"https://h/|", "has one of the characters"},
        {"https://h/%", "hexadecimal"},
        {"https://h/%2", "hexadecimal"},
        {"https://h/%2g", "hexadecimal"},
        {"https://h/%%41", "hexadecimal"},
        {"https://%zz/", "hexadecimal"},
        /* RULINGS 63 */
        {"lists.example.org/announce/", "lacks a scheme"},
        {"list@example.org", "lacks a scheme"},
        {"//example.org/", "lacks a scheme"},
        {"/announce", "lacks a scheme"},
        {"1http://example.org/", "lacks a scheme"},
        {"ht_tp://example.org/", "lacks a scheme"},
        {":x", "lacks a scheme"},
        {"NO", "lacks a scheme"},
        /* LH-14 */
        {"file:///etc/passwd", "a scheme that may not be used"},
        {"FILE:x", "a scheme that may not be used"},
        {"javascript:alert(1)", "a scheme that may not be used"},
        {"JavaScript:alert(1)", "a scheme that may not be used"},
        {"data:text/plain,x", "a scheme that may not be used"},
        {"Data:", "a scheme that may not be used"},
        {"vbscript:x", "a scheme that may not be used"},
        /* a host where there must be one */
        {"https:", "lacks \"//\" and a host"},
        {"https:example.org", "lacks \"//\" and a host"},
        {"http:/example.org", "lacks \"//\" and a host"},
        {"https://", "lacks \"//\" and a host"},
        {"https:///announce", "lacks \"//\" and a host"},
        {"https://?q", "lacks \"//\" and a host"},
        {"https://#f", "lacks \"//\" and a host"},
        {"https://:443/", "lacks \"//\" and a host"},
        {"https://user@/", "lacks \"//\" and a host"},
        {"https://user@:443/", "lacks \"//\" and a host"},
        {"ftp:///pub", "lacks \"//\" and a host"},
        {"mailto:", "lacks an address"},
        {"mailto:leave,@example.org,u@,u%40", "lacks an address"},
        {"mailto:?to=leave", "lacks an address"},
        {"mailto:?subject=help", "lacks an address"},
        {"mailto:leave", "lacks an address"},
        {"mailto:@", "lacks an address"},
        {"mailto:a@", "lacks an address"},
        {"mailto:@b", "lacks an address"},
        {"mailto:a@,@b", "lacks an address"},
        {"mailto:%20", "lacks an address"},
        {"mailto:a%40", "lacks an address"},
        {"mailto:x?to=a", "lacks an address"},
        {"mailto:?to=", "lacks an address"},
        {"mailto:?to=&subject=x", "lacks an address"},
        {"mailto:?", "lacks an address"},
        {"mailto:#to=x", "lacks an address"},
        {"mailto:?subject=x#&to=y", "lacks an address"},
        {"mailto://list@example.org", "lacks an address"},
        {"news:", "nothing after its scheme"},
        /* where a character may stand */
        {"https://h/#a#b", "more than one \"#\""},
        {"https://h/##", "more than one \"#\""},
        {"mailto:a@b#c#d", "more than one \"#\""},
        {"https://h/[x]", "elsewhere than around"},
        {"https://h/?a[]=1", "elsewhere than around"},
        {"https://h/#[", "elsewhere than around"},
        {"mailto:a@[192.0.2.1]", "elsewhere than around"},
        {"https://a[b/", "elsewhere than around"},
        {"https://ab]/", "elsewhere than around"},
        {"https://u[@h/", "elsewhere than around"},
        {"https://[]/", "elsewhere than around"},
        {"https://[example.org]/", "elsewhere than around"},
        {"https://[192.0.2.1]/", "elsewhere than around"},
        {"https://[fe80::1%25eth0]/", "elsewhere than around"},
        {"https://[2001:db8::1/", "elsewhere than around"},
        {"https://[", "elsewhere than around"},
        {"https://[::1]x/", "elsewhere than around"},
        {"https://h:80a/", "port"},
        {"https://h:-1/", "port"},
        {"https://h:80:90/", "port"},
        {"https://2001:db8::1/", "port"},
        {"https://[::1]:x/", "port"},
        {"ldap://h:x/", "port"},
        {"https://a@b@c/", "more than one \"@\""},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const char *fault = uri_fault(span_cstr(rows[i].uri));
        check_row(rows[i].uri);
        if (check_bool("has a fault", true, fault != NULL))
            check_bool(fault, true, strstr(fault, rows[i].fault) != NULL);
    }
    check_row("the end of the text is the end, whatever stands behind it");
    check_bool("fault", true, uri_fault(span_of("https://h/%41", 12)) != NULL);
    check_row("a NUL");
    check_str("fault", "has a control character", uri_fault(CHECK_SPAN("https://h/\0")));
    check_end();
}

static void test_has_scheme(void **state)
{
    static const struct {
        const char *uri, *scheme;
        bool has;
    } rows[] = {
        {"mailto:a@b", "mailto", true}, {"MailTo:a@b", "mailto", true},
        {"mailtox:a", "mailto", false}, {"mailt", "mailto", false},
        {"mailto", "mailto", false},    {"https://h/", "http", false},
        {"http://h/", "https", false},  {"", "https", false},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        check_row(rows[i].uri);
        check_bool(rows[i].scheme, rows[i].has,
                   uri_has_scheme(span_cstr(rows[i].uri), rows[i].scheme));
    }
    check_end();
}

/* LH-14, RULINGS 63, 84 */
static void test_schemes(void **state)
{
    static const struct {
        const char *uri, *scheme;
        bool known, harmful;
    } rows[] = {
        {"mailto:a@b", "mailto", true, false},
        {"HTTPS://h/", "HTTPS", true, false},
        {"http:", "http", true, false},
        {"z39.50r://h", "z39.50r", true, false},
        {"x-foo+bar.1:y", "x-foo+bar.1", false, false},
        {"JavaScript:x", "JavaScript", false, true},
        {"data:,x", "data", false, true},
        {"file:///etc", "file", false, true},
        {"vbscript:x", "vbscript", false, true},
        {"javascripts:x", "javascripts", false, false},
        {"httpss:x", "httpss", false, false},
        {"htt:x", "htt", false, false},
        {"mailto", "", false, false},
        {":x", "", false, false},
        {"1a:b", "", false, false},
        {"a b:c", "", false, false},
        {" mailto:a@b", "", false, false},
        {"", "", false, false},
    };
    (void)state;
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct span uri = span_cstr(rows[i].uri), scheme = uri_scheme(uri);
        const char *fault = uri_fault(uri);
        check_row(rows[i].uri);
        check_text("scheme", rows[i].scheme, scheme);
        check_bool("known", rows[i].known, uri_scheme_is_known(scheme));
        check_bool("harmful", rows[i].harmful, fault != NULL && strstr(fault, "may not be used"));
    }
    check_end();
}

/* A URI that passes has only characters that may be in angle brackets of a header. */
static void test_any_text_that_passes_is_harmless(void **state)
{
    struct generator g = {5};
    char buffer[48];
    (void)state;
    for (int round = 0; round < 50000; round++) {
        char text[64] = "https://h";
        struct span tail =
            generated_text(&g, "abc:@/?#[]%41 <>{}\r\n\t\\\"\x80-.", buffer, sizeof(buffer));
        size_t head = round % 3 == 0 ? 0 : round % 3 == 1 ? 8 : 9;
        if (tail.n > 8 && round % 2 == 0)
            tail.n = 8; /* short ones pass more often */
        memcpy(text + head, tail.p, tail.n);
        text[head + tail.n] = '\0';
        struct span uri = span_of(text, head + tail.n);
        if (uri_fault(uri) != NULL)
            continue;
        check_row_span(uri);
        check_bool("printable", true, span_is_printable_ascii(uri));
        check_int("no blank, bracket or brace", (long long)uri.n,
                  (long long)strcspn(text, " <>{}\"\\"));
    }
    check_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escape),
        cmocka_unit_test(test_escape_any_octets),
        cmocka_unit_test(test_good_uris),
        cmocka_unit_test(test_bad_uris),
        cmocka_unit_test(test_has_scheme),
        cmocka_unit_test(test_schemes),
        cmocka_unit_test(test_any_text_that_passes_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
