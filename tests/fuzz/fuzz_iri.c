/* International text: what comes out is ASCII and stays as it is when it goes in again (AT-07,
 * RULINGS 51, 67). Input: the text. */
#include "fuzz.h"

#include "spec/iri.h"
#include "spec/uri.h"
#include "text/utf8.h"

const char *const fuzz_grammar[] = {
    "S=https://%h/%q|https://%q@%h:%q|mailto:%q@%h|%h|%h.%h|%q",
    "h=b\xC3\xBC\x63her.example|a.b|xn--bcher-kva|xn--a|\xD7\x90.x|1\xD7\x90|%u%h|%u.%h|{%q}|[::1]|"
    "-%u|%+a",
    "u=\xC3\xA4|\xE3\x80\x82|\xEF\xBC\x8E|\xE2\x84\x80|\xC2\xAD|\xF0\x9F\x92\xA9|\xCC\x88|a|%*",
    "q=|%u%q|{archive}%q|%%C3%q|?%q|#%q|%*%q|}%q",
    NULL,
};

static bool is_ascii(struct span s)
{
    for (size_t i = 0; i < s.n; i++) {
        if ((unsigned char)s.p[i] >= 0x80)
            return false;
    }
    return true;
}

static void check_uri(struct span text, struct arena *arena)
{
    struct span uri, again;
    const char *fault = iri_to_uri(text, arena, &uri);
    if (is_ascii(text))
        fuzz_require_text(fault == NULL && uri.p == text.p && uri.n == text.n, "ASCII stays", text);
    if (fault != NULL)
        return;
    fuzz_require_text(utf8_is_valid(text) || is_ascii(text), "only UTF-8 is converted", text);
    if (span_find(text, '{') == text.n)
        fuzz_require_text(is_ascii(uri), "a URI is ASCII", uri);
    fuzz_require(iri_to_uri(uri, arena, &again) == NULL, "once more");
    fuzz_require_text(span_eq(uri, again), "stays as it is", again);
}

static void check_domain(struct span text, struct arena *arena)
{
    struct span ascii, again;
    if (domain_to_ascii(text, arena, &ascii) != NULL)
        return;
    fuzz_require_text(is_ascii(ascii), "a host name in ASCII", ascii);
    fuzz_require(domain_to_ascii(ascii, arena, &again) == NULL && span_eq(again, ascii),
                 "ASCII stays");
}

void fuzz_input(struct span text)
{
    struct strbuf url = STRBUF_INIT;
    struct arena arena;
    arena_init(&arena, 0);
    check_uri(text, &arena);
    check_domain(text, &arena);
    strbuf_add_str(&url, "https://");
    strbuf_add_span(&url, text);
    strbuf_add_str(&url, "/x");
    check_uri(fuzz_own(strbuf_span(&url)), &arena);
    strbuf_free(&url);
    arena_free(&arena);
}
