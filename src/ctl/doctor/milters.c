/* milters - reads the list of an MTA's filters, and finds ours however it is spelled. */
#include "ctl/doctor/milters.h"

#include "config/lists/trust.h"
#include "config/socket_fault.h"
#include "ctl/doctor/postfix_values.h"
#include "text/ascii.h"
#include "text/cursor.h"
#include "text/edit_distance.h"

#include <string.h>

static bool is_separator(char c)
{
    return c == ',' || c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* "[::1]" -> "::1" */
static struct span without_brackets(struct span host)
{
    bool has = host.n > 1 && host.p[0] == '[' && host.p[host.n - 1] == ']';
    return has ? span_sub(host, 1, host.n - 2) : host;
}

static size_t find_last(struct span s, char c)
{
    for (size_t i = s.n; i > 0; i--)
        if (s.p[i - 1] == c)
            return i - 1;
    return s.n;
}

static struct milter_place postfix_place(struct span text)
{
    struct milter_place place = {0};
    struct span kind = span_sub(text, 0, span_find(text, ':'));
    struct span rest = span_sub(text, kind.n + 1, text.n);
    if (span_eq_nocase(kind, span_cstr("unix")) || span_eq_nocase(kind, span_cstr("local"))) {
        place.path = rest;
    } else if (span_eq_nocase(kind, span_cstr("inet"))) {
        size_t colon = find_last(rest, ':');
        place.host = without_brackets(span_sub(rest, 0, colon));
        place.port = span_sub(rest, colon + 1, rest.n);
    }
    return place;
}

struct milter_place milter_place(struct span socket)
{
    struct milter_place place = {0};
    size_t path = socket_path(socket);
    size_t colon = span_find(socket, ':'), at = find_last(socket, '@');
    if (path < socket.n) {
        place.path = span_sub(socket, path, socket.n);
    } else if (colon < at && at < socket.n) {
        place.port = span_sub(socket, colon + 1, at - colon - 1);
        place.host = without_brackets(span_sub(socket, at + 1, socket.n));
    }
    return place;
}

/* "{ inet:127.0.0.1:8894, default_action = accept }", without the braces */
static void parse_braced(struct span inside, struct milter *item)
{
    for (bool is_first = true; inside.n > 0; is_first = false) {
        struct span part = span_sub(inside, 0, span_find(inside, ','));
        size_t equals = span_find(part, '=');
        inside = span_sub(inside, part.n + 1, inside.n);
        if (is_first)
            item->place = postfix_place(span_trim(part));
        else if (span_eq(span_trim(span_sub(part, 0, equals)), span_cstr("default_action")))
            item->default_action = span_trim(span_sub(part, equals + 1, part.n));
    }
}

void milters_parse(struct span value, struct milters *milters)
{
    struct cursor c = cursor_of(value);
    milters->count = 0;
    while (milters->count < MILTERS_MAX) {
        while (!cursor_at_end(&c) && is_separator(*c.p))
            c.p++;
        if (cursor_at_end(&c))
            return;
        struct milter *item = &milters->items[milters->count++];
        const char *begin = c.p;
        *item = (struct milter){0};
        if (*c.p == '{') {
            struct span rest = cursor_rest(&c);
            size_t end = span_find(rest, '}');
            parse_braced(span_sub(rest, 1, end - 1), item);
            c.p += end < rest.n ? end + 1 : end;
            item->text = span_of(begin, (size_t)(c.p - begin));
        } else {
            while (!cursor_at_end(&c) && !is_separator(*c.p))
                c.p++;
            item->text = span_of(begin, (size_t)(c.p - begin));
            item->place = postfix_place(item->text);
        }
    }
}

/* Nothing is known of a name but what "localhost" means: it may be any address. */
static bool same_host(struct span ours, struct span theirs)
{
    struct trust_address one, other;
    bool ours_is_name = !trust_address_parse(ours, &one);
    bool theirs_is_name = !trust_address_parse(theirs, &other);
    struct span name = ours_is_name ? ours : theirs, address = ours_is_name ? theirs : ours;
    if (span_eq(ours, span_cstr("0.0.0.0")) || span_eq(ours, span_cstr("::")))
        return true;
    if (!ours_is_name && !theirs_is_name)
        return trust_address_within(&one, &other, 128);
    return (ours_is_name && theirs_is_name) || !span_eq_nocase(name, span_cstr("localhost")) ||
           span_eq(address, span_cstr("127.0.0.1")) || span_eq(address, span_cstr("::1"));
}

/* 8984 or 889 for 8894; not 8893, which may well be another filter's. */
static bool is_mistyped_port(struct span ours, struct span theirs)
{
    unsigned digits[256] = {0};
    bool same = ours.n == theirs.n;
    for (size_t i = 0; same && i < ours.n; i++)
        digits[(unsigned char)ours.p[i]]++;
    for (size_t i = 0; same && i < theirs.n; i++)
        same = digits[(unsigned char)theirs.p[i]]-- > 0;
    return same || (ours.n != theirs.n && edit_is_within(ours, theirs, 1));
}

/* The path as the host sees it, without slashes in a row. */
static void host_path(struct strbuf *out, struct span folder, bool below, struct span path)
{
    if (below && folder.n > 0) {
        strbuf_add_span(out, folder);
        strbuf_add_char(out, '/');
    }
    for (size_t i = 0; i < path.n; i++)
        if (path.p[i] != '/' || out->len == 0 || out->data[out->len - 1] != '/')
            strbuf_add_char(out, path.p[i]);
}

static enum milter_match match_paths(struct span ours, struct span theirs, struct span folder,
                                     bool is_chrooted)
{
    struct strbuf one = STRBUF_INIT, other = STRBUF_INIT;
    enum milter_match match = MILTER_OTHER;
    host_path(&one, folder, false, ours);
    host_path(&other, folder, is_chrooted || theirs.p[0] != '/', theirs);
    if (span_eq(strbuf_span(&one), strbuf_span(&other)))
        match = MILTER_OURS;
    else if (text_contains(theirs, "mlmilter"))
        match = MILTER_NEAR;
    strbuf_free(&one);
    strbuf_free(&other);
    return match;
}

enum milter_match milter_matches(const struct milter_place *ours, const struct milter_place *theirs,
                                 struct span folder, bool is_chrooted)
{
    if (theirs->path.n > 0)
        return ours->path.n > 0 ? match_paths(ours->path, theirs->path, folder, is_chrooted)
               : text_contains(theirs->path, "mlmilter") ? MILTER_NEAR
                                                         : MILTER_OTHER;
    if (ours->port.n == 0)
        return MILTER_OTHER;
    if (span_eq(ours->port, theirs->port))
        return same_host(ours->host, theirs->host) ? MILTER_OURS : MILTER_NEAR;
    /* libmilter's spelling in Postfix' list: 8894@127.0.0.1 has no colon */
    if (theirs->port.n == 0 &&
        span_eq(span_sub(theirs->host, 0, span_find(theirs->host, '@')), ours->port))
        return MILTER_NEAR;
    return same_host(ours->host, theirs->host) && is_mistyped_port(ours->port, theirs->port)
               ? MILTER_NEAR
               : MILTER_OTHER;
}

bool milter_signs(const struct milter_place *place)
{
    static const char *const ports[] = {"8891", "8892", "11332"};
    for (size_t i = 0; i < sizeof ports / sizeof ports[0]; i++)
        if (span_eq(place->port, span_cstr(ports[i])))
            return true;
    return text_contains(place->path, "dkim") || text_contains(place->path, "rspamd") ||
           text_contains(place->path, "arc") || text_contains(place->path, "sign");
}

void milter_spell(struct strbuf *out, const struct milter_place *ours, struct span folder)
{
    struct span path = ours->path;
    bool has_colon = span_find(ours->host, ':') < ours->host.n;
    if (path.n == 0) {
        strbuf_add_str(out, has_colon ? "inet:[" : "inet:");
        strbuf_add_span(out, ours->host);
        strbuf_add_str(out, has_colon ? "]:" : ":");
        strbuf_add_span(out, ours->port);
        return;
    }
    if (folder.n > 0 && path.n > folder.n + 1 && span_eq(span_sub(path, 0, folder.n), folder) &&
        path.p[folder.n] == '/')
        path = span_sub(path, folder.n + 1, path.n);
    strbuf_add_str(out, "unix:");
    strbuf_add_span(out, path);
}

void milters_with(struct strbuf *out, const struct milters *milters, size_t old, bool moved,
                  struct span ours)
{
    size_t at = milters->count;
    const char *separator = "";
    if (old < milters->count && !moved)
        at = old;
    for (size_t i = milters->count; i > 0 && at == milters->count; i--)
        if (i - 1 != old && milter_signs(&milters->items[i - 1].place))
            at = i - 1;
    for (size_t i = 0; i <= milters->count; i++) {
        if (i == at) {
            strbuf_add_str(out, separator);
            strbuf_add_span(out, ours);
            separator = ", ";
        }
        if (i < milters->count && i != old) {
            strbuf_add_str(out, separator);
            strbuf_add_span(out, milters->items[i].text);
            separator = ", ";
        }
    }
}
