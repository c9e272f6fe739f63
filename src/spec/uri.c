/* uri - see uri.h */
#include "spec/uri.h"

#include "text/ascii.h"
#include "text/cursor.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* One of the characters of a C string; a NUL octet is none of them. */
static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

/* unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"               RFC 3986 2.3 */
static bool is_unreserved(char c)
{
    return ascii_is_alpha(c) || ascii_is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

/* sub-delims = "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="     2.2 */
static bool is_sub_delim(char c)
{
    return is_one_of(c, "!$&'()*+,;=");
}

/* pchar = unreserved / pct-encoded / sub-delims / ":" / "@"         3.3 */
static bool is_kept(char c, enum uri_part part)
{
    if (is_unreserved(c))
        return true;
    return part != URI_QUERY && (is_sub_delim(c) || c == ':' || c == '@') &&
           !(part == URI_MAILTO && is_one_of(c, "&;="));
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

/* How many of the first octets are a separator in a segment, once a server has decoded it. */
static size_t separator_length(struct span text)
{
    struct span escape = span_sub(text, 0, 3);
    return span_eq_nocase(escape, span_cstr("%2F")) || span_eq_nocase(escape, span_cstr("%5C")) ? 3
                                                                                                : 0;
}

/* How many of the first octets are a dot? */
static size_t dot_length(struct span text)
{
    if (span_eq(span_sub(text, 0, 1), span_cstr(".")))
        return 1;
    return span_eq_nocase(span_sub(text, 0, 3), span_cstr("%2E")) ? 3 : 0;
}

bool uri_ends_elsewhere(struct span path)
{
    size_t start = path.n, dots = 0, n;
    bool has_text = false;
    while (start > 0 && path.p[start - 1] != '/')
        start--;
    for (size_t i = start; i < path.n; i += n) {
        struct span rest = span_sub(path, i, path.n);
        n = 1;
        if (path.p[i] != '.' && path.p[i] != '%') { /* most octets, told in a few instructions */
            has_text = true;
        } else if (dot_length(rest) > 0) {
            n = dot_length(rest);
            dots++;
        } else if (separator_length(rest) == 0) {
            has_text = true;
        } else if (!has_text && (dots == 1 || dots == 2)) {
            return true;
        } else {
            n = separator_length(rest);
            dots = 0;
            has_text = false;
        }
    }
    return start == path.n || (!has_text && (dots == 1 || dots == 2));
}

/* Why an octet may stand nowhere in a URI; NULL for those that may. */
static const char *octet_fault(char c)
{
    if (ascii_is_blank(c))
        return "has a blank";
    if (ascii_is_control(c))
        return "has a control character";
    if ((unsigned char)c >= 0x80)
        return "has a character that is not ASCII and not percent-encoded";
    switch (c) {
    case '<':
    case '>':
        return "has \"<\" or \">\", which may not stand in a URI";
    case '{':
    case '}':
        return "has \"{\" or \"}\", which may not stand in a URI";
    case '"':
        return "has a quotation mark, which may not stand in a URI";
    case '\\':
        return "has a backslash, which may not stand in a URI";
    case '^':
    case '`':
    case '|':
        return "has one of \"^\", \"`\" and \"|\", which may not stand in a URI";
    default:
        return NULL;
    }
}

/* Nearly all octets of nearly all URIs, told from the others in a few instructions: "&" to ";",
 * "=",
 * "?" to "Z", "_", and "a" to "z". */
static bool is_plain(char c)
{
    static const uint64_t plain[4] = {0xAFFFFFC000000000, 0x07FFFFFE87FFFFFF};
    unsigned char octet = (unsigned char)c;
    return (plain[octet / 64] >> octet % 64 & 1) != 0;
}

static const char *octets_fault(struct span uri)
{
    for (size_t i = 0; i < uri.n; i++) {
        if (is_plain(uri.p[i]))
            continue;
        const char *fault = octet_fault(uri.p[i]);

        if (fault != NULL)
            return fault;
        if (uri.p[i] == '%' &&
            !(i + 2 < uri.n && ascii_is_hex(uri.p[i + 1]) && ascii_is_hex(uri.p[i + 2])))
            return "has a \"%\" without two hexadecimal digits after it";
    }
    return NULL;
}

/* scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )               3.1
 * The octets of the scheme that uri begins with, the ":" not counted; 0 when it has none. */
static size_t scheme_length(struct span uri)
{
    size_t n = 0;
    if (uri.n == 0 || !ascii_is_alpha(uri.p[0]))
        return 0;
    while (n < uri.n &&
           (ascii_is_alpha(uri.p[n]) || ascii_is_digit(uri.p[n]) || is_one_of(uri.p[n], "+-.")))
        n++;
    return n < uri.n && uri.p[n] == ':' ? n : 0;
}

struct span uri_scheme(struct span uri)
{
    return span_sub(uri, 0, scheme_length(uri));
}

bool uri_has_scheme(struct span uri, const char *scheme)
{
    size_t n = scheme_length(uri);
    return n > 0 && span_eq_nocase(span_sub(uri, 0, n), span_cstr(scheme));
}

static bool is_scheme(struct span scheme, const char *name)
{
    return span_eq_nocase(scheme, span_cstr(name));
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
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (span_eq_nocase(scheme, span_cstr(known[i])))
            return true;
    return false;
}

/* LH-14, RULINGS 63 */
static const char *scheme_fault(struct span scheme)
{
    if (scheme.n == 0)
        return "lacks a scheme such as https: or mailto:";
    if (is_scheme(scheme, "file"))
        return "has the scheme file, which may not be used";
    if (is_scheme(scheme, "javascript"))
        return "has the scheme javascript, which may not be used";
    if (is_scheme(scheme, "data"))
        return "has the scheme data, which may not be used";
    if (is_scheme(scheme, "vbscript"))
        return "has the scheme vbscript, which may not be used";
    return NULL;
}

/* The first place in s of any character of the set, or s.n. */
static size_t find_any(struct span s, const char *set)
{
    for (; *set != '\0'; set++)
        s.n = span_find(s, *set);
    return s.n;
}

/* IP-literal = "[" IPv6address "]"; IPvFuture is in use nowhere and not accepted. */
static bool is_ipv6(struct span text)
{
    char buffer[INET6_ADDRSTRLEN];
    struct in6_addr address;
    if (text.n == 0 || text.n >= sizeof(buffer))
        return false;
    memcpy(buffer, text.p, text.n);
    buffer[text.n] = '\0';
    return inet_pton(AF_INET6, buffer, &address) == 1;
}

/* host = IP-literal / IPv4address / reg-name; reg-name = *( unreserved / pct-encoded / sub-delims )
 * [ ":" port ]; port = *DIGIT                                       3.2.2, 3.2.3
 * All characters are legal and no "@" is left. */
static const char *host_fault(struct span text, bool host_needed)
{
    struct cursor c = cursor_of(text);
    if (cursor_take(&c, '[')) {
        size_t close = span_find(cursor_rest(&c), ']');
        if (close == cursor_rest(&c).n)
            return "has a \"[\" without a \"]\"";
        if (!is_ipv6(span_sub(cursor_rest(&c), 0, close)))
            return "has brackets around something that is no IPv6 address";
        c.p += close + 1;
        if (!cursor_at_end(&c) && cursor_peek(&c) != ':')
            return "has text between the IPv6 address and the port or path";
    } else {
        struct span host = span_sub(text, 0, span_find(text, ':'));
        if (find_any(host, "[]") < host.n)
            return "has \"[\" or \"]\" elsewhere than around an IPv6 address";
        if (host.n == 0 && host_needed)
            return "lacks a host after \"//\"";
        c.p += host.n;
    }
    cursor_take(&c, ':');
    for (; !cursor_at_end(&c); c.p++) {
        if (!ascii_is_digit(*c.p))
            return "has a port that is not a number";
    }
    return NULL;
}

/* authority = [ userinfo "@" ] host [ ":" port ]                    3.2 */
static const char *authority_fault(struct span authority, bool host_needed)
{
    size_t at = span_find(authority, '@');
    if (at == authority.n)
        return host_fault(authority, host_needed);
    struct span user = span_sub(authority, 0, at);
    struct span host = span_sub(authority, at + 1, authority.n);
    if (span_find(host, '@') < host.n)
        return "has more than one \"@\" before the path";
    if (span_find(user, '[') < user.n || span_find(user, ']') < user.n)
        return "has \"[\" or \"]\" elsewhere than around an IPv6 address";
    return host_fault(host, host_needed);
}

/* mailto = "mailto:" [ to ] [ "?" hfields ]                         RFC 6068 2
 * One that names nobody, neither in front of the "?" nor in a field "to" behind it, is of no use.
 */
static const char *mailto_fault(struct span rest)
{
    if (span_starts_nocase(rest, span_cstr("//")))
        return "has \"//\" after \"mailto:\", where the address belongs";
    if (rest.n > 0 && !is_one_of(rest.p[0], "?#"))
        return NULL;
    while (rest.n > 0 && rest.p[0] != '#') {
        rest = span_sub(rest, 1, rest.n);
        if (span_starts_nocase(rest, span_cstr("to=")) && find_any(rest, "&#") > sizeof "to=" - 1)
            return NULL;
        rest = span_sub(rest, find_any(rest, "&#"), rest.n);
    }
    return "lacks an address after \"mailto:\"";
}

/* hier-part [ "?" query ] [ "#" fragment ], hier-part beginning with "//" or not    3 */
static const char *rest_fault(struct span rest, bool host_needed)
{
    size_t hash = span_find(rest, '#');
    if (hash < rest.n && span_find(span_sub(rest, hash + 1, rest.n), '#') < rest.n - hash - 1)
        return "has more than one \"#\"";
    if (span_starts_nocase(rest, span_cstr("//"))) {
        rest = span_sub(rest, 2, rest.n);
        size_t end = find_any(rest, "/?#");
        const char *fault = authority_fault(span_sub(rest, 0, end), host_needed);
        if (fault != NULL)
            return fault;
        rest = span_sub(rest, end, rest.n);
    } else if (host_needed) {
        return "lacks \"//\" and a host after its scheme";
    } else if (rest.n == 0) {
        return "has nothing after its scheme";
    }
    if (find_any(rest, "[]") < rest.n)
        return "has \"[\" or \"]\" elsewhere than around an IPv6 address";
    return NULL;
}

bool uri_scheme_is_harmful(struct span scheme)
{
    return scheme.n > 0 && scheme_fault(scheme) != NULL;
}

/* URI = scheme ":" hier-part [ "?" query ] [ "#" fragment ]         RFC 3986 3 */
const char *uri_fault(struct span uri)
{
    if (uri.n == 0)
        return "is empty";
    const char *fault = octets_fault(uri);
    if (fault != NULL)
        return fault;
    struct span scheme = uri_scheme(uri);
    fault = scheme_fault(scheme);
    if (fault != NULL)
        return fault;

    struct span rest = span_sub(uri, scheme.n + 1, uri.n);
    if (is_scheme(scheme, "mailto"))
        fault = mailto_fault(rest);
    if (fault != NULL)
        return fault;
    return rest_fault(rest, is_scheme(scheme, "http") || is_scheme(scheme, "https") ||
                                is_scheme(scheme, "ftp"));
}
