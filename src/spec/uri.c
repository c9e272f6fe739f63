/* uri - see uri.h */
#include "spec/uri.h"

#include "text/ascii.h"
#include "text/cursor.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
/* The kind of each character (RFC 3986 2): u unreserved, s sub-delims, g gen-delims, "%"; a blank
 * for ASCII that no URI contains, and NUL for all other bytes. */
static const char kinds[256] =
    "                " "                "
    " s gs%sssssssuug" "uuuuuuuuuugs s g" /* SP ! " # $ % & ' ( ) * + , - . /  0-9 : ; < = > ? */
    "guuuuuuuuuuuuuuu" "uuuuuuuuuuug g u" /* @ A-O  P-Z [ \ ] ^ _ */
    " uuuuuuuuuuuuuuu" "uuuuuuuuuuu   u "; /* ` a-o  p-z { | } ~ DEL */
/* clang-format on */

static char kind_of(char c)
{
    return kinds[(unsigned char)c];
}

/* True if c is one of the characters of a C string. A NUL is none of them. */
static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

/* pchar = unreserved / pct-encoded / sub-delims / ":" / "@"         3.3 */
static bool is_kept(char c, enum uri_part part)
{
    if (part == URI_QUERY || kind_of(c) == 'u')
        return kind_of(c) == 'u';
    return (kind_of(c) == 's' && !(part == URI_MAILTO && is_one_of(c, "&;="))) || c == ':' ||
           c == '@';
}

void uri_escape(struct strbuf *out, struct span text, enum uri_part part)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t start = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (is_kept(text.p[i], part))
            continue;
        unsigned char octet = (unsigned char)text.p[i];
        const char escaped[3] = {'%', digits[octet >> 4], digits[octet & 15]};
        strbuf_add_span(out, span_sub(text, start, i - start));
        strbuf_add(out, escaped, sizeof(escaped));
        start = i + 1;
    }
    strbuf_add_span(out, span_sub(text, start, text.n));
}

struct span uri_decode(struct span text, struct arena *arena)
{
    char *out = arena_alloc(arena, text.n);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        const char *hex = text.p + i + 1;
        out[n++] = text.p[i];
        if (text.p[i] != '%' || i + 2 >= text.n || !ascii_is_hex(hex[0]) || !ascii_is_hex(hex[1]))
            continue;
        out[n - 1] = (char)strtoul((const char[]){hex[0], hex[1], '\0'}, NULL, 16);
        i += 2;
    }
    return span_of(out, n);
}

static const char *octets_fault(struct span uri)
{
    for (size_t i = 0; i < uri.n; i++) {
        char c = uri.p[i];
        if (kind_of(c) >= 'a')
            continue;
        if (c == '%' && i + 2 < uri.n && ascii_is_hex(uri.p[i + 1]) && ascii_is_hex(uri.p[i + 2]))
            continue;
        if (c == '%')
            return "has a \"%\" without two hexadecimal digits after it";
        if (ascii_is_blank(c))
            return "has a blank";
        if (ascii_is_control(c))
            return "has a control character";
        if ((unsigned char)c >= 0x80)
            return "has a character that is not ASCII and not percent-encoded";
        return "has one of the characters < > { } \" \\ ^ ` |, which no URI can contain "
               "(expected it without < and >)";
    }
    return NULL;
}

/* scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )               3.1 */
struct span uri_scheme(struct span uri)
{
    size_t n = 0;
    while (n < uri.n && (ascii_is_alpha(uri.p[n]) ||
                         (n > 0 && (ascii_is_digit(uri.p[n]) || is_one_of(uri.p[n], "+-.")))))
        n++;
    return span_sub(uri, 0, n < uri.n && uri.p[n] == ':' ? n : 0);
}

bool uri_has_scheme(struct span uri, const char *scheme)
{
    struct span name = span_cstr(scheme);
    return span_starts_nocase(uri, name) && uri.n > name.n && uri.p[name.n] == ':';
}

bool uri_scheme_is_known(struct span scheme)
{
    static const char *const known[] = {
        "https",  "http",   "mailto", "ftp",    "ftps",   "news",  "nntp", "snews",
        "gopher", "gemini", "imap",   "pop",    "urn",    "mid",   "cid",  "tag",
        "info",   "doi",    "ni",     "tel",    "sms",    "sip",   "sips", "xmpp",
        "matrix", "irc",    "ircs",   "irc6",   "ldap",   "ldaps", "git",  "ssh",
        "sftp",   "nfs",    "rsync",  "webcal", "magnet", "geo",   "wais", "z39.50r",
    };
    size_t i = 0;
    while (i < sizeof known / sizeof known[0] && !span_eq_nocase(scheme, span_cstr(known[i])))
        i++;
    return i < sizeof known / sizeof known[0];
}

/* True if the scheme may not be shown to people's mail programs (LH-14, RULINGS 63). */
static bool is_harmful(struct span scheme)
{
    return span_eq_nocase(scheme, span_cstr("file")) || span_eq_nocase(scheme, span_cstr("data")) ||
           span_eq_nocase(scheme, span_cstr("javascript")) ||
           span_eq_nocase(scheme, span_cstr("vbscript"));
}

/* Returns the length of the IPv6 address in brackets that s begins with, or 0. Its groups are not
 * counted. */
static size_t ipv6_length(struct span s)
{
    size_t n = 1, colons = 0;
    if (s.n == 0 || s.p[0] != '[')
        return 0;
    for (; n < s.n && (ascii_is_hex(s.p[n]) || is_one_of(s.p[n], ":.")); n++)
        colons += s.p[n] == ':';
    return colons >= 2 && n < s.n && s.p[n] == ']' ? n + 1 : 0;
}

/* to = addr-spec *( "," addr-spec )                                 RFC 6068 2
 * True if an address has a local part and a domain. Its "@" may be escaped. */
static bool has_address(struct span to)
{
    for (size_t i = 1; i < to.n; i++) {
        struct span rest = span_sub(to, i, to.n);
        size_t sign = rest.p[0] == '@' ? 1 : span_starts_nocase(rest, span_cstr("%40")) ? 3 : 0;
        if (sign > 0 && to.p[i - 1] != ',' && sign < rest.n && rest.p[sign] != ',')
            return true;
    }
    return false;
}

/* mailto = "mailto:" [ to ] [ "?" hfields ]                         RFC 6068 2
 * True if it names an address, before the "?" or in a field "to" after it. */
static bool names_address(struct span rest)
{
    struct span whole = span_sub(rest, 0, span_find(rest, '#'));
    struct span to = span_sub(whole, 0, span_find(whole, '?'));
    struct span fields = span_sub(whole, to.n + 1, whole.n), field;
    bool is_named = has_address(to);
    for (; !is_named && fields.n > 0; fields = span_sub(fields, field.n + 1, fields.n)) {
        field = span_sub(fields, 0, span_find(fields, '&'));
        is_named = span_starts_nocase(field, span_cstr("to=")) &&
                   has_address(span_sub(field, sizeof "to=" - 1, field.n));
    }
    return is_named && !span_starts_nocase(rest, span_cstr("//"));
}

/* clang-format off */
/*
 *   rest      = ( "//" authority path / path ) [ "?" query ] [ "#" fragment ]     3
 *   authority = [ userinfo "@" ] host [ ":" port ]                 3.2
 *   host      = IP-literal / IPv4address / reg-name; port = *DIGIT 3.2.2, 3.2.3
 */
/* clang-format on */
static const char *rest_fault(struct span rest, bool host_needed)
{
    bool has_authority = span_starts_nocase(rest, span_cstr("//"));
    struct span path = span_sub(rest, has_authority ? 2 : 0, rest.n);
    struct span authority = span_sub(path, 0, has_authority ? span_find_any(path, "/?#") : 0);
    size_t at = span_find(authority, '@'), hash = span_find(rest, '#');
    struct span host = at < authority.n ? span_sub(authority, at + 1, authority.n) : authority;
    size_t literal = ipv6_length(host), before = (size_t)(host.p - path.p);
    struct span name = span_sub(host, literal, host.n),
                after = span_sub(path, before + literal, path.n);
    size_t colon = span_find(name, ':');
    if (span_find(span_sub(rest, hash + 1, rest.n), '#') + hash + 1 < rest.n)
        return "has more than one \"#\"";
    if (rest.n == 0 && !host_needed)
        return "has nothing after its scheme";
    if (span_find(host, '@') < host.n)
        return "has more than one \"@\" before the path";
    if (literal == 0 && colon == 0 && host_needed)
        return "lacks \"//\" and a host after its scheme";
    if (span_find_any(span_sub(path, 0, before), "[]") < before ||
        span_find_any(after, "[]") < after.n || (literal > 0 && colon > 0))
        return "has \"[\" or \"]\" elsewhere than around an IPv6 address";
    for (size_t i = colon + 1; i < name.n; i++)
        if (!ascii_is_digit(name.p[i]))
            return "has a port that is not a number";
    return NULL;
}

/* URI = scheme ":" hier-part [ "?" query ] [ "#" fragment ]         RFC 3986 3 */
const char *uri_fault(struct span uri)
{
    struct span scheme = uri_scheme(uri), rest = span_sub(uri, scheme.n + 1, uri.n);
    if (uri.n == 0)
        return "is empty";
    const char *fault = octets_fault(uri);
    if (fault != NULL)
        return fault;
    if (scheme.n == 0)
        return "lacks a scheme such as https: or mailto:";
    if (is_harmful(scheme))
        return "has a scheme that may not be used: file, javascript, data or vbscript";
    if (uri_has_scheme(uri, "mailto") && !names_address(rest))
        return "lacks an address after \"mailto:\" (expected LOCAL@DOMAIN)";
    return rest_fault(rest, uri_has_scheme(uri, "http") || uri_has_scheme(uri, "https") ||
                                uri_has_scheme(uri, "ftp"));
}

/* to = addr-spec *( "," addr-spec ); hfield = hfname "=" hfvalue    RFC 6068 2
 * A "=" in an address is taken, as programs write it: "leave-ann=example.org@x.example". */
bool uri_mailto_is_right(struct span uri)
{
    struct span rest = span_sub(uri, sizeof "mailto:" - 1, span_find(uri, '#'));
    struct span to = span_sub(rest, 0, span_find(rest, '?')), part;
    bool is_right = uri_fault(uri) == NULL;
    for (size_t i = 0; i < to.n || (i == to.n && i > 0); i += part.n + 1) {
        part = span_sub(to, i, to.n);
        part.n = span_find(part, ',');
        size_t at = span_find(part, '@');
        is_right &= at > 0 && at + 1 < part.n && span_find(part, '&') == part.n &&
                    span_find_last(part, '@') == at;
    }
    for (size_t i = to.n + 1; i <= rest.n; i += part.n + 1) {
        part = span_sub(rest, i, rest.n);
        part.n = span_find(part, '&');
        size_t equals = span_find(part, '=');
        is_right &= equals > 0 && equals < part.n;
    }
    return is_right;
}
