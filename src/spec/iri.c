/* iri - see iri.h. The one user of libidn2. Labels are converted one by one, so that a label that
 * is a variable of a template can stand beside an international one. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "spec/iri.h"

#include "text/ascii.h"
#include "text/memory.h"
#include "text/strbuf.h"
#include "text/utf8.h"

#include <string.h>
#ifdef HAVE_LIBIDN2
#include <idn2.h>
#endif

#define NOT_UTF8    "is not UTF-8"
#define NO_HOST     "has a host name that is no international domain name (RFC 5890)"
#define VARIABLE_IN "has a variable within an international label of its host name"
#define NO_LIBIDN2  "has an international host name, which needs libidn2: it is not built in"

/* Octets of a label of UTF-8: an A-label has 63, and its characters 59, of four octets at most;
 * some more for what normalization puts together. */
#define LABEL_OCTETS_MAX 255
#define A_LABEL_MAX      63

static bool is_ascii_octet(char c)
{
    return (unsigned char)c < 0x80;
}

static bool is_ascii(struct span text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (!is_ascii_octet(text.p[i]))
            return false;
    }
    return true;
}

/* ---- one label ---- */

#ifdef HAVE_LIBIDN2

/* label = 1*63( ALPHA / DIGIT / "-" )
 * Asked of each result: a mapping can bring in a "/" or ".". (IDN2_USE_STD3_ASCII_RULES is no help:
 * with it libidn2 2.3.3 drops such characters and succeeds, so that another domain comes of it.) */
static bool is_ldh(const char *label)
{
    size_t n = strlen(label);
    for (size_t i = 0; i < n; i++) {
        if (!ascii_is_alpha(label[i]) && !ascii_is_digit(label[i]) && label[i] != '-')
            return false;
    }
    return n > 0 && n <= A_LABEL_MAX;
}

/* Appends the A-label of a label of UTF-8: IDNA2008 with the mapping of UTS 46, not transitional.
 */
static const char *label_to_ascii(struct strbuf *out, struct span label)
{
    char copy[LABEL_OCTETS_MAX + 1];
    char *ascii = NULL;
    int result;
    if (label.n > LABEL_OCTETS_MAX || span_find(label, '\0') < label.n)
        return NO_HOST;
    memcpy(copy, label.p, label.n);
    copy[label.n] = '\0';
    result = idn2_to_ascii_8z(copy, &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    if (result == IDN2_MALLOC)
        memory_exhausted();
    if (result != IDN2_OK)
        return NO_HOST;
    bool is_label = is_ldh(ascii);
    if (is_label)
        strbuf_add_str(out, ascii);
    idn2_free(ascii);
    return is_label ? NULL : NO_HOST;
}

#else

static const char *label_to_ascii(struct strbuf *out, struct span label)
{
    (void)out;
    (void)label;
    return NO_LIBIDN2;
}

#endif

/* ---- host names ---- */

/* Octets at the start of s (not empty) that stay together: a variable with its braces, else one. */
static size_t step(struct span s)
{
    size_t close = s.p[0] == '{' ? span_find(s, '}') : s.n;
    return close < s.n ? close + 1 : 1;
}

/* Octets of the dot that s begins with, 0 when it begins with none: U+002E and, as UTS 46 says,
 * U+3002, U+FF0E and U+FF61. */
static size_t dot_length(struct span s)
{
    struct span three = span_sub(s, 0, 3);
    if (s.n > 0 && s.p[0] == '.')
        return 1;
    return span_eq(three, span_cstr("\xe3\x80\x82")) || span_eq(three, span_cstr("\xef\xbc\x8e")) ||
                   span_eq(three, span_cstr("\xef\xbd\xa1"))
               ? 3
               : 0;
}

static const char *add_label(struct strbuf *out, struct span label)
{
    bool is_international = false;
    if (label.n == 0)
        return NO_HOST;
    for (size_t i = 0; i < label.n; i += step(span_sub(label, i, label.n)))
        is_international = is_international || !is_ascii_octet(label.p[i]);
    if (!is_international) {
        strbuf_add_span(out, label);
        return NULL;
    }
    if (span_find(label, '{') < label.n)
        return VARIABLE_IN;
    return label_to_ascii(out, label);
}

/* host = label *( dot label ) [ dot ]; ASCII labels stay as they are. */
static const char *add_host(struct strbuf *out, struct span host)
{
    while (host.n > 0) {
        size_t n = 0;
        while (n < host.n && dot_length(span_sub(host, n, host.n)) == 0)
            n += step(span_sub(host, n, host.n));
        const char *fault = add_label(out, span_sub(host, 0, n));
        if (fault != NULL)
            return fault;
        host = span_sub(host, n, host.n);
        size_t dot = dot_length(host);
        if (dot > 0)
            strbuf_add_char(out, '.');
        host = span_sub(host, dot, host.n);
    }
    return NULL;
}

/* ---- the whole ---- */

/* The first place outside of braces of any octet of the set, or s.n. */
static size_t find_any(struct span s, const char *set)
{
    for (size_t i = 0; i < s.n; i += step(span_sub(s, i, s.n))) {
        if (s.p[i] != '\0' && strchr(set, s.p[i]) != NULL)
            return i;
    }
    return s.n;
}

/* scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )               RFC 3986 3.1 */
static bool is_scheme(struct span text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (!ascii_is_alpha(c) &&
            (i == 0 || (!ascii_is_digit(c) && c != '+' && c != '-' && c != '.')))
            return false;
    }
    return text.n > 0;
}

/* The host name of scheme "://" [ userinfo "@" ] host [ ":" port ] ...; empty when there is none or
 * an address in brackets. */
static struct span host_of(struct span text)
{
    size_t colon = span_find(text, ':');
    struct span authority = span_sub(text, colon, text.n);
    if (!is_scheme(span_sub(text, 0, colon)) || !span_starts_nocase(authority, span_cstr("://")))
        return span_sub(text, text.n, 0);
    authority = span_sub(authority, 3, authority.n);
    authority = span_sub(authority, 0, find_any(authority, "/?#"));
    for (size_t at; (at = find_any(authority, "@")) < authority.n;)
        authority = span_sub(authority, at + 1, authority.n);
    if (authority.n > 0 && authority.p[0] == '[')
        return span_sub(authority, 0, 0);
    return span_sub(authority, 0, find_any(authority, ":"));
}

/* RFC 3987 3.1, step 2; braces and what is in them stay. */
static void add_escaped(struct strbuf *out, struct span text)
{
    for (size_t i = 0; i < text.n;) {
        size_t n = step(span_sub(text, i, text.n));
        if (is_ascii_octet(text.p[i]))
            strbuf_add_span(out, span_sub(text, i, n));
        else
            strbuf_addf(out, "%%%02X", (unsigned)(unsigned char)text.p[i]);
        i += n;
    }
}

const char *iri_to_uri(struct span text, struct arena *arena, struct span *uri)
{
    struct strbuf out = STRBUF_INIT;
    const char *fault = NULL;
    *uri = text;
    if (is_ascii(text))
        return NULL;
    if (!utf8_is_valid(text))
        return NOT_UTF8;
    struct span host = host_of(text);
    size_t before = (size_t)(host.p - text.p);
    add_escaped(&out, span_sub(text, 0, before));
    if (is_ascii(host))
        strbuf_add_span(&out, host);
    else
        fault = add_host(&out, host);
    add_escaped(&out, span_sub(text, before + host.n, text.n));
    *uri = arena_dup(arena, strbuf_span(&out));
    strbuf_free(&out);
    return fault;
}

const char *domain_to_ascii(struct span domain, struct arena *arena, struct span *ascii)
{
    struct strbuf out = STRBUF_INIT;
    *ascii = domain;
    if (is_ascii(domain))
        return NULL;
    if (!utf8_is_valid(domain))
        return NOT_UTF8;
    if (span_find(domain, '{') < domain.n) /* no template: braces are nothing special here */
        return NO_HOST;
    const char *fault = add_host(&out, domain);
    *ascii = arena_dup(arena, strbuf_span(&out));
    strbuf_free(&out);
    return fault;
}
