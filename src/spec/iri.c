/* iri - see iri.h. The one user of libidn2. */
#include "spec/iri.h"

#include "spec/uri.h"
#include "text/ascii.h"
#include "text/memory.h"
#include "text/strbuf.h"
#include "text/utf8.h"

#include <string.h>

#ifdef HAVE_LIBIDN2
#include <idn2.h>
#endif

#define NOT_UTF8 "is not UTF-8"

/* 255 characters of four bytes: no domain name is longer. */
#define HOST_MAX 1020

#ifdef HAVE_LIBIDN2

/* True if a result of libidn2 consists of labels of letters, digits and "-", or "_" in an ASCII
 * one. A mapping can bring in a "/", and IDN2_USE_STD3_ASCII_RULES does not help: libidn2 2.3.3
 * then drops such characters and succeeds, so that another domain results. */
static bool is_host(const char *host)
{
    const char *label = host;
    for (const char *p = host; *p != '\0'; p++) {
        bool is_label_end = *p == '.' && p > label;
        bool is_underscore = *p == '_' && strncmp(label, "xn--", 4) != 0;
        if (!is_label_end && !is_underscore && !ascii_is_alpha(*p) && !ascii_is_digit(*p) &&
            *p != '-')
            return false;
        label = is_label_end ? p + 1 : label;
    }
    return host[0] != '\0';
}

/* Appends the host name with A-labels: IDNA2008 with the mapping of UTS 46, not transitional.
 * Returns NULL, or the fault. */
static const char *add_host(struct strbuf *out, struct span host, struct arena *arena)
{
    char *ascii = NULL;
    int result = IDN2_DISALLOWED;
    if (host.n <= HOST_MAX && span_find(host, '\0') == host.n)
        result = idn2_to_ascii_8z(arena_strdup(arena, host), &ascii,
                                  IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    if (result == IDN2_MALLOC)
        memory_exhausted();
    if (result != IDN2_OK || !is_host(ascii))
        result = IDN2_DISALLOWED;
    else
        strbuf_add_str(out, ascii);
    idn2_free(ascii);
    return result == IDN2_OK ? NULL
                             : "has a host name that is no international domain name (RFC 5890)";
}

#else

static const char *add_host(struct strbuf *out, struct span host, struct arena *arena)
{
    (void)out;
    (void)host;
    (void)arena;
    return "has an international host name, which needs libidn2: it is not built in";
}

#endif

/* Returns the host name of scheme "://" [ userinfo "@" ] host [ ":" port ] ...; empty if there is
 * none or an address in brackets. */
static struct span host_of(struct span text)
{
    struct span scheme = uri_scheme(text), host = span_sub(text, scheme.n, text.n);
    bool has_authority = scheme.n > 0 && span_starts_nocase(host, span_cstr("://"));
    host = span_sub(host, has_authority ? 3 : host.n, host.n);
    host.n = span_find_any(host, "/?#");
    for (size_t at; (at = span_find(host, '@')) < host.n;)
        host = span_sub(host, at + 1, host.n);
    if (host.n > 0 && host.p[0] == '[')
        host.n = 0;
    else if (span_find(host, '{') == host.n) /* else a ":" may belong to a variable */
        host.n = span_find(host, ':');
    return host;
}

/* Appends the text with each byte from 0x80 as %HH (RFC 3987 3.1, step 2), except within braces. */
static void add_escaped(struct strbuf *out, struct span text)
{
    size_t closed = text.n; /* behind the last "}" */
    while (closed > 0 && text.p[closed - 1] != '}')
        closed--;
    for (size_t i = 0; i < text.n;) {
        struct span rest = span_sub(text, i, text.n);
        size_t n = text.p[i] == '{' && i < closed ? span_find(rest, '}') + 1 : 1;
        if ((unsigned char)text.p[i] < 0x80)
            strbuf_add_span(out, span_sub(rest, 0, n));
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
    if (span_is_ascii(text))
        return NULL;
    if (!utf8_is_valid(text))
        return NOT_UTF8;
    struct span host = host_of(text);
    size_t before = (size_t)(host.p - text.p);
    add_escaped(&out, span_sub(text, 0, before));
    if (span_is_ascii(host))
        strbuf_add_span(&out, host);
    else if (span_find(host, '{') < host.n)
        fault = "has a variable in an international host name (expected the name as A-labels: "
                "\"xn--...\")";
    else
        fault = add_host(&out, host, arena);
    add_escaped(&out, span_sub(text, before + host.n, text.n));
    *uri = arena_dup(arena, strbuf_span(&out));
    strbuf_free(&out);
    return fault;
}

const char *domain_to_ascii(struct span domain, struct arena *arena, struct span *ascii)
{
    struct strbuf out = STRBUF_INIT;
    *ascii = domain;
    if (span_is_ascii(domain))
        return NULL;
    const char *fault = utf8_is_valid(domain) ? add_host(&out, domain, arena) : NOT_UTF8;
    *ascii = span_cstr(strbuf_keep(&out, arena));
    return fault;
}
