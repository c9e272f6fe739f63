/*
 * address - see address.h
 *
 * An address list is cut into items first, then the address of an item is read token by token. Each
 * octet is looked at twice at most and nothing recurses, whatever a sender writes.
 */
#include "mail/address.h"

#include "mail/rfc5322.h"
#include "text/ascii.h"

#include <string.h>

struct span address_bare(struct span argument)
{
    struct span s = span_trim(argument);
    if (s.n >= 2 && s.p[0] == '<' && s.p[s.n - 1] == '>')
        s = span_trim(span_sub(s, 1, s.n - 2));
    return s;
}

/* Place of the last "@", or address.n. */
static size_t last_at(struct span address)
{
    for (size_t i = address.n; i > 0; i--)
        if (address.p[i - 1] == '@')
            return i - 1;
    return address.n;
}

struct span address_local(struct span address)
{
    return span_sub(address, 0, last_at(address));
}

struct span address_domain(struct span address)
{
    return span_sub(address, last_at(address) + 1, address.n);
}

bool address_domain_is_within(struct span domain, struct span other)
{
    size_t at = domain.n - other.n;
    if (other.n == 0 || domain.n < other.n || !span_ends_nocase(domain, other))
        return false;
    return at == 0 || domain.p[at - 1] == '.';
}

/* domain-literal = "[" *dtext "]": steps over it; where none is closed before the item may end,
 * over the bracket and what cannot end an item. */
static bool skip_literal(struct cursor *c)
{
    c->p++;
    while (c->p < c->end && strchr("[]\\,<>", *c->p) == NULL)
        c->p++;
    return cursor_take(c, ']');
}

/* One octet or token that holds no separator. false: a quoted string or comment is not closed; then
 * the cursor is at the end. */
static bool skip_token(struct cursor *c)
{
    switch (*c->p) {
    case '"':
        return rfc5322_skip_quoted_string(c);
    case '(':
        return rfc5322_skip_comment(c);
    case '[':
        skip_literal(c);
        return true;
    default:
        c->p++;
        return true;
    }
}

/* Steps from one token to the next until one of the stops; false as above. */
static bool skip_until(struct cursor *c, const char *stops)
{
    while (!cursor_at_end(c) && (*c->p == '\0' || strchr(stops, *c->p) == NULL))
        if (!skip_token(c))
            return false;
    return true;
}

/*
 *   angle-addr = "<" [obs-route] addr-spec ">"                    RFC 5322 3.4, 4.4
 *   obs-route  = "@" domain *("," [CFWS] ["@" domain]) ":"
 *
 * The cursor stands on the "<". *spec becomes what stands for the addr-spec, empty if nothing does.
 */
static bool read_angle(struct cursor *c, struct span *spec)
{
    *spec = span_of("", 0);
    c->p++;
    if (!rfc5322_skip_cfws(c))
        return false;
    if (cursor_peek(c) == '@' && (!skip_until(c, ":>") || !cursor_take(c, ':')))
        return !cursor_at_end(c);
    const char *begin = c->p;
    if (!skip_until(c, ">,"))
        return false;
    if (cursor_peek(c) == '>') {
        *spec = span_of(begin, (size_t)(c->p - begin));
        c->p++;
    }
    return true;
}

/*
 *   address-list = (address *("," address)) / obs-addr-list       RFC 5322 3.4
 *   address      = mailbox / group
 *   mailbox      = name-addr / addr-spec
 *   name-addr    = [display-name] angle-addr
 *   group        = display-name ":" [group-list] ";" [CFWS]
 *
 * Steps over the text up to and including the next "," or ";" (a group's name ends in ":" and is
 * dropped). *spec becomes what stands for the item's addr-spec: what is between its first brackets,
 * else all of it. false: something is not closed, so the item is not understood.
 */
static bool next_item(struct cursor *c, struct span *spec)
{
    const char *begin = c->p;
    bool angle = false;
    while (skip_until(c, ":<,;")) {
        if (!angle && cursor_peek(c) == '<') {
            angle = true;
            if (!read_angle(c, spec))
                return false;
            continue;
        }
        if (!angle)
            *spec = span_of(begin, (size_t)(c->p - begin));
        if (cursor_at_end(c))
            return true;
        char stop = *c->p++;
        if (stop == ',' || stop == ';')
            return true;
        if (stop == ':' && !angle)
            begin = c->p;
    }
    return false;
}

/* atom = 1*atext. Octets from 0x80 count as atext (RFC 6532). */
static bool in_atom(char c)
{
    return rfc5322_is_atext(c) || (unsigned char)c >= 0x80;
}

/* word = atom / quoted-string; and in the domain: domain-literal. Steps over it. */
static bool skip_word(struct cursor *c, bool in_domain)
{
    if (!in_domain && *c->p == '"')
        return rfc5322_skip_quoted_string(c);
    if (in_domain && *c->p == '[')
        return skip_literal(c);
    const char *begin = c->p;
    while (!cursor_at_end(c) && in_atom(*c->p))
        c->p++;
    return c->p > begin;
}

/*
 *   addr-spec  = local-part "@" domain                            RFC 5322 3.4.1, 4.4
 *   local-part = word *("." word)
 *   domain     = atom *("." atom) / domain-literal
 *
 * With CFWS between all tokens, which is left out of `out` (as large as spec). Dots may stand
 * anywhere but at the beginning of the domain: real local parts end in one or have two in a row.
 * Returns the number of octets, 0 if spec is no address.
 */
static size_t copy_addr_spec(struct span spec, char *out)
{
    struct cursor c = cursor_of(spec);
    size_t n = 0;
    bool in_domain = false, after_word = false, has_word = false;
    while (rfc5322_skip_cfws(&c)) {
        if (cursor_at_end(&c))
            return in_domain && has_word ? n : 0;
        const char *begin = c.p;
        if (*c.p == '.' || (*c.p == '@' && !in_domain && has_word)) {
            if (*c.p == '@') {
                in_domain = true;
                has_word = false;
            }
            after_word = false;
            c.p++;
        } else {
            if (after_word || !skip_word(&c, in_domain))
                return 0;
            after_word = has_word = true;
        }
        memcpy(out + n, begin, (size_t)(c.p - begin));
        n += (size_t)(c.p - begin);
    }
    return 0;
}

bool address_next(struct cursor *c, struct arena *arena, struct span *address)
{
    while (!cursor_at_end(c)) {
        struct span spec;
        if (!next_item(c, &spec) || spec.n == 0 || span_find(spec, '@') == spec.n)
            continue;
        char *copy = arena_strdup(arena, spec);
        size_t n = copy_addr_spec(spec, copy);
        if (n > 0) {
            *address = span_of(copy, n);
            return true;
        }
    }
    return false;
}
