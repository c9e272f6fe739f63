/* mailbox - see mailbox.h */
#include "spec/mailbox.h"

#include "mail/address.h"
#include "mail/rfc5322.h"
#include "spec/iri.h"
#include "spec/uri.h"
#include "text/ascii.h"
#include "text/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
/*
 *   argument = [words] "<" path ">" / path                        RFC 5321 4.1.2
 *   path     = *route local ["@" domain ["."]]
 *   route    = "@" domain *("," "@" domain) ":"
 *   local    = word *("." word)
 *   word     = 1*(atext / quoted-pair / quoted-string)
 *   domain   = atom *("." atom) / domain-literal
 *
 *   list     = item *(("," / ";") item)                           RFC 5322 3.4, 4.4
 *   item     = [[words] ":"] argument
 */
/* clang-format on */

/* Reads one path as Postfix and Sendmail do: comments and blanks may be between all tokens, and any
 * other byte is part of a word. Two words without a dot between them stay two: "te am" is not team.
 */
struct reader {
    struct cursor c;
    char *out; /* never longer than the text */
    size_t n;
    size_t at;       /* of the last unquoted "@" in out, or NO_DOMAIN */
    bool in_word;    /* the last byte of out belongs to a word */
    bool gap;        /* a blank or comment came after it */
    bool in_bracket; /* the "<" has come */
    bool in_list;    /* a ":" ends the name of a group */
};

#define NO_DOMAIN SIZE_MAX

/* Adds a byte of a word, after a blank if two words touch. */
static void put_word(struct reader *r, char c)
{
    if (r->in_word && r->gap)
        r->out[r->n++] = ' ';
    r->gap = false;
    r->in_word = true;
    r->out[r->n++] = c;
}

static void put_separator(struct reader *r)
{
    r->gap = r->in_word = false;
    r->out[r->n++] = *r->c.p++;
}

/* Reads the byte after a backslash, or the backslash itself at the end. */
static void put_quoted_pair(struct reader *r)
{
    if (r->c.p + 1 < r->c.end)
        r->c.p++;
    put_word(r, *r->c.p++);
}

/* Reads a quoted string; one that is not closed ends with the text. */
static void put_quoted_string(struct reader *r)
{
    r->c.p++;
    while (!cursor_at_end(&r->c) && !cursor_take(&r->c, '"')) {
        if (*r->c.p == '\\')
            put_quoted_pair(r);
        else
            put_word(r, *r->c.p++);
    }
    r->in_word = true; /* an empty one is a word, too */
}

/* Steps over the route that begins at an "@". Returns false if there is none. */
static bool skip_route(struct cursor *c)
{
    for (struct cursor end = *c; !cursor_at_end(&end); end.p++) {
        if (*end.p == '[')
            end.p += span_find(cursor_rest(&end), ']');
        if (end.p >= end.end || strchr("<>\"", *end.p) != NULL)
            return false;
        if (*end.p == ':') {
            c->p = end.p + 1;
            return true;
        }
    }
    return false;
}

/* Forgets the text so far, which is a name. */
static void restart(struct reader *r)
{
    r->n = 0;
    r->at = NO_DOMAIN;
    r->in_word = r->gap = false;
    r->c.p++;
}

/* Reads one token. Returns false if the path has ended. */
static bool read_token(struct reader *r)
{
    char c = *r->c.p;
    if (c == '<') {
        restart(r);
        r->in_bracket = true;
    } else if (c == '>' && r->in_bracket) {
        return false;
    } else if (c == ':' && r->in_list && !r->in_bracket && r->at == NO_DOMAIN) {
        restart(r);
    } else if (c == '(') {
        r->gap = true;
        (void)rfc5322_skip_comment(&r->c);
    } else if (c == '"') {
        put_quoted_string(r);
    } else if (c == '\\') {
        put_quoted_pair(r);
    } else if (c == '@' && r->n == 0 && !r->in_word && skip_route(&r->c)) {
        return true;
    } else if (c == '@' || c == '.') {
        r->at = c == '@' ? r->n : r->at;
        put_separator(r);
    } else if (ascii_is_space(c)) {
        r->gap = true;
        r->c.p++;
    } else {
        put_word(r, *r->c.p++);
    }
    return true;
}

/* Returns the mailbox, its domain with A-labels, if it can be converted. */
static struct span convert_domain(struct arena *arena, struct span mailbox, size_t at)
{
    struct span domain = span_sub(mailbox, at + 1, mailbox.n), ascii;
    if (domain_to_ascii(domain, arena, &ascii) != NULL || ascii.p == domain.p)
        return mailbox;
    char *joined = arena_alloc(arena, at + 1 + ascii.n);
    memcpy(joined, mailbox.p, at + 1);
    memcpy(joined + at + 1, ascii.p, ascii.n);
    return span_of(joined, at + 1 + ascii.n);
}

/* Returns the character in lower case, for the alphabets of Latin, Greek and Cyrillic. */
static unsigned lower(unsigned c)
{
    if ((c >= 0xC0 && c <= 0xDE && c != 0xD7) || (c >= 0x391 && c <= 0x3A9) ||
        (c >= 0x410 && c <= 0x42F))
        return c + 0x20;
    if (c >= 0x400 && c <= 0x40F)
        return c + 0x50;
    if ((c >= 0x100 && c <= 0x12F) || (c >= 0x132 && c <= 0x137) || (c >= 0x14A && c <= 0x177))
        return c | 1;
    if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E))
        return c + (c & 1);
    return c;
}

/* Folds the letter case of n bytes of UTF-8, as Postfix does with a local part before it looks it
 * up (RULINGS 95). ASCII letters stay. Returns the new length, which is never larger. */
static size_t fold_case(char *text, size_t n)
{
    static const char *const to_ascii[][2] = {
        {"\xC3\x9F", "ss"},     {"\xC5\xBF", "s"},       {"\xE1\xBA\x9E", "ss"},
        {"\xE2\x84\xAA", "k"},  {"\xEF\xAC\x80", "ff"},  {"\xEF\xAC\x81", "fi"},
        {"\xEF\xAC\x82", "fl"}, {"\xEF\xAC\x83", "ffi"}, {"\xEF\xAC\x84", "ffl"},
        {"\xEF\xAC\x85", "st"}, {"\xEF\xAC\x86", "st"},
    };
    size_t out = 0;
    for (size_t i = 0, length; i < n; i += length) {
        length = utf8_length(span_of(text + i, n - i));
        length = length > 0 ? length : 1;
        struct span c = span_of(text + i, length);
        if (length == 2) {
            unsigned l = lower(((unsigned)c.p[0] & 0x1F) << 6 | ((unsigned)c.p[1] & 0x3F));
            text[i] = (char)(0xC0 | l >> 6);
            text[i + 1] = (char)(0x80 | (l & 0x3F));
        }
        for (size_t k = 0; length > 1 && k < sizeof to_ascii / sizeof to_ascii[0]; k++)
            if (span_eq(span_of(text + i, length), span_cstr(to_ascii[k][0])))
                c = span_cstr(to_ascii[k][1]);
        memmove(text + out, c.p, c.n);
        out += c.n;
    }
    return out;
}

/* True if s is LOCAL@DOMAIN or LOCAL of atoms and dots, as nearly every address is. */
static bool is_plain(struct span s)
{
    bool has_domain = false;
    if (s.n == 0 || s.p[s.n - 1] == '.' || s.p[0] == '@')
        return s.n == 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '@' && !has_domain)
            has_domain = true;
        else if (s.p[i] != '.' && !rfc5322_is_atext(s.p[i]))
            return false;
    }
    return true;
}

static struct span read_mailbox(struct span address, bool in_list, struct arena *arena)
{
    struct span bare = address_bare(address);
    struct reader r = {.c = cursor_of(address), .at = NO_DOMAIN, .in_list = in_list};
    if (is_plain(bare))
        return bare;
    r.out = arena_alloc(arena, address.n + 1);
    while (!cursor_at_end(&r.c) && read_token(&r))
        continue;
    /* A quoted "@" is not the one before a domain. */
    if (r.at == NO_DOMAIN && span_find(span_of(r.out, r.n), '@') < r.n) {
        r.at = r.n;
        r.out[r.n++] = '@';
    }
    if (r.at == NO_DOMAIN)
        return span_of(r.out, fold_case(r.out, r.n));
    r.at = span_find_last(span_of(r.out, r.n), '@'); /* where address_local() ends */
    if (r.n > r.at + 2 && r.out[r.n - 1] == '.')
        r.n--;
    size_t folded = fold_case(r.out, r.at);
    memmove(r.out + folded, r.out + r.at, r.n - r.at);
    return convert_domain(arena, span_of(r.out, r.n - (r.at - folded)), folded);
}

struct span mailbox_of(struct span address, struct arena *arena)
{
    return read_mailbox(address, false, arena);
}

/* Steps over the next item of a list and the "," or ";" after it, and returns the item. */
static struct span next_item(struct cursor *c)
{
    const char *begin = c->p;
    bool in_bracket = false;
    while (!cursor_at_end(c) && (in_bracket || (*c->p != ',' && *c->p != ';'))) {
        if (*c->p == '"') {
            (void)rfc5322_skip_quoted_string(c);
        } else if (*c->p == '(') {
            (void)rfc5322_skip_comment(c);
        } else {
            in_bracket = *c->p == '<' || (in_bracket && *c->p != '>');
            c->p += *c->p == '\\' && c->p + 1 < c->end ? 2 : 1;
        }
    }
    struct span item = span_of(begin, (size_t)(c->p - begin));
    c->p += cursor_at_end(c) ? 0 : 1;
    return item;
}

bool mailbox_next(struct cursor *c, struct arena *arena, struct span *mailbox)
{
    while (!cursor_at_end(c)) {
        *mailbox = read_mailbox(next_item(c), true, arena);
        if (address_local(*mailbox).n > 0 && address_domain(*mailbox).n > 0)
            return true;
    }
    return false;
}

/* Returns the text with each "%HH" decoded (RFC 3986 2.1), in the arena. */
static struct span decode(struct span text, struct arena *arena)
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

void mailboxes_of_mailto(struct span uri, struct arena *arena, struct span *mailboxes, size_t most,
                         size_t *count)
{
    struct span rest = span_sub(uri, sizeof "mailto:" - 1, uri.n);
    rest.n = uri_has_scheme(uri, "mailto") ? span_find(rest, '?') : 0;
    while (rest.n > 0 && *count < most) {
        struct span item = span_sub(rest, 0, span_find(rest, ','));
        rest = span_sub(rest, item.n + 1, rest.n);
        mailboxes[*count] = mailbox_of(decode(item, arena), arena);
        *count += mailboxes[*count].n > 0;
    }
}

struct span mailbox_author_domain(struct span from, struct arena *arena)
{
    struct span mailbox = span_of("", 0);
    struct cursor c = cursor_of(from);
    (void)mailbox_next(&c, arena, &mailbox);
    struct span domain = address_domain(mailbox);
    return span_find(domain, ' ') == domain.n ? domain : span_of("", 0);
}
