/* mailbox - see mailbox.h */
#include "spec/mailbox.h"

#include "mail/address.h"
#include "mail/rfc5322.h"
#include "spec/iri.h"
#include "spec/uri.h"
#include "text/ascii.h"
#include "text/strbuf.h"
#include "text/utf8.h"

#include <stdint.h>
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
    struct strbuf out;
    size_t at;               /* of the last unquoted "@" in out, or NO_DOMAIN */
    bool in_list;            /* "," and ";" end the item, and ":" the name of a group */
    bool in_bracket;         /* after "<" */
    bool has_ended;          /* after ">", where the path ends */
    bool in_word;            /* the last byte of out belongs to a word */
    bool gap;                /* a blank or comment came after it */
    const char *literal_end; /* of the last literal from which no route went on, or NULL */
};

#define NO_DOMAIN SIZE_MAX

static void put(struct reader *r, char c, bool in_word)
{
    if (r->has_ended)
        return;
    if (c == '@' && !in_word)
        r->at = r->out.len;
    if (in_word && r->in_word && r->gap)
        strbuf_add_char(&r->out, ' ');
    strbuf_add_char(&r->out, c);
    r->in_word = in_word;
    r->gap = false;
}

/* Reads a byte of a word, or the one after a backslash. */
static void read_byte(struct reader *r)
{
    if (*r->c.p == '\\' && r->c.p + 1 < r->c.end)
        r->c.p++;
    put(r, *r->c.p++, true);
}

/* Reads a quoted string; one that is not closed ends with the text. */
static void read_quoted_string(struct reader *r)
{
    r->c.p++;
    while (!cursor_at_end(&r->c) && !cursor_take(&r->c, '"'))
        read_byte(r);
    r->in_word = true; /* an empty one is a word, too */
}

/* Steps over the route that begins at an "@". Returns false if there is none. Time is linear: in a
 * list, the end of an item ends a literal, too ("<@[>,<@[>,"); in an argument such as "<@[<@[<@[",
 * the "]" that one route did not find is not searched again. */
static bool skip_route(struct reader *r)
{
    const char *ends = r->in_list && !r->in_bracket ? "<>\",;" : "<>\"";
    for (struct cursor end = r->c; !cursor_at_end(&end); end.p++) {
        if (*end.p == '[') {
            if (r->literal_end != NULL && end.p < r->literal_end)
                return false;
            while (!cursor_at_end(&end) && *end.p != ']' &&
                   (!r->in_list || strchr(ends, *end.p) == NULL))
                end.p++;
            r->literal_end = end.p;
        }
        if (cursor_at_end(&end) || strchr(ends, *end.p) != NULL)
            return false;
        if (*end.p == ':') {
            r->c.p = end.p + 1;
            return true;
        }
    }
    return false;
}

/* Reads one token. Returns false if it is the end of an item of a list. */
static bool read_token(struct reader *r)
{
    bool is_between = r->in_list && !r->in_bracket;
    char c = *r->c.p;
    if (c == '"') {
        read_quoted_string(r);
    } else if (c == '(') {
        r->gap = true;
        (void)rfc5322_skip_comment(&r->c);
    } else if (ascii_is_space(c)) {
        r->gap = true;
        r->c.p++;
    } else if (c == '<' || (c == ':' && is_between && r->at == NO_DOMAIN)) {
        if (!r->has_ended) { /* the text so far is a name */
            strbuf_reset(&r->out);
            r->at = NO_DOMAIN;
            r->in_word = r->gap = false;
        }
        r->in_bracket |= c == '<';
        r->c.p++;
    } else if (c == '>' && r->in_bracket) {
        r->in_bracket = false;
        r->has_ended = true;
        r->c.p++;
    } else if (c == '@' && r->out.len == 0 && !r->in_word && !r->has_ended && skip_route(r)) {
        return true;
    } else if (c == '@' || c == '.') {
        put(r, *r->c.p++, false);
    } else if (is_between && (c == ',' || c == ';')) {
        r->c.p++;
        return false;
    } else {
        read_byte(r);
    }
    return true;
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

/* Appends text in lower case, as Postfix makes a local part that is not ASCII before it looks it up
 * (RULINGS 95). ASCII letters stay. */
static void add_folded(struct strbuf *out, struct span text)
{
    static const char *const to_ascii[][2] = {
        {"\xC3\x9F", "ss"},     {"\xC5\xBF", "s"},       {"\xE1\xBA\x9E", "ss"},
        {"\xE2\x84\xAA", "k"},  {"\xEF\xAC\x80", "ff"},  {"\xEF\xAC\x81", "fi"},
        {"\xEF\xAC\x82", "fl"}, {"\xEF\xAC\x83", "ffi"}, {"\xEF\xAC\x84", "ffl"},
        {"\xEF\xAC\x85", "st"}, {"\xEF\xAC\x86", "st"},
    };
    while (text.n > 0) {
        size_t n = utf8_length(text);
        struct span character = span_sub(text, 0, n > 0 ? n : 1), folded = character;
        char two[2];
        if (n == 2) {
            unsigned code = lower(((unsigned)text.p[0] & 0x1F) << 6 | ((unsigned)text.p[1] & 0x3F));
            two[0] = (char)(0xC0 | code >> 6);
            two[1] = (char)(0x80 | (code & 0x3F));
            folded = span_of(two, 2);
        }
        for (size_t i = 0; n > 1 && i < sizeof to_ascii / sizeof to_ascii[0]; i++)
            if (span_eq(character, span_cstr(to_ascii[i][0])))
                folded = span_cstr(to_ascii[i][1]);
        strbuf_add_span(out, folded);
        text = span_sub(text, character.n, text.n);
    }
}

/* Converts a mailbox that is not ASCII: the local part to lower case, the domain to A-labels, if
 * they can be made. */
static void convert(struct strbuf *mailbox, struct arena *arena)
{
    struct span text = strbuf_span(mailbox), local = address_local(text);
    struct span domain = address_domain(text), ascii;
    struct strbuf out = STRBUF_INIT;
    if (domain_to_ascii(domain, arena, &ascii) != NULL)
        ascii = domain;
    add_folded(&out, local);
    strbuf_add_str(&out, local.n < text.n ? "@" : "");
    strbuf_add_span(&out, ascii);
    strbuf_free(mailbox);
    *mailbox = out;
}

/* Reads an address, or the next item of a list and the "," or ";" after it. An item that is too
 * long gives an empty text. */
static struct strbuf read_mailbox(struct cursor *c, bool in_list, struct arena *arena)
{
    struct reader r = {.c = *c, .out = STRBUF_INIT, .at = NO_DOMAIN, .in_list = in_list};
    struct span item = span_of(c->p, 0);
    while (!cursor_at_end(&r.c) && read_token(&r))
        item.n = (size_t)(r.c.p - item.p);
    *c = r.c;
    if (in_list && span_trim(item).n > MAILBOX_ITEM_MAX) {
        strbuf_reset(&r.out);
        return r.out;
    }
    if (r.at == NO_DOMAIN && span_find(strbuf_span(&r.out), '@') < r.out.len)
        strbuf_add_char(&r.out, '@'); /* a quoted "@" is not the one before a domain */
    if (address_domain(strbuf_span(&r.out)).n > 1 && r.out.data[r.out.len - 1] == '.')
        strbuf_truncate(&r.out, r.out.len - 1);
    if (!span_is_ascii(strbuf_span(&r.out)))
        convert(&r.out, arena);
    return r.out;
}

struct span mailbox_of(struct span address, struct arena *arena)
{
    struct span mailbox = address_bare(address);
    if (rfc5322_is_dot_atom(address_local(mailbox)) &&
        rfc5322_is_dot_atom(address_domain(mailbox))) /* as nearly all are */
        return mailbox;
    struct cursor c = cursor_of(address);
    struct strbuf text = read_mailbox(&c, false, arena);
    mailbox = arena_dup(arena, strbuf_span(&text));
    strbuf_free(&text);
    return mailbox;
}

bool mailbox_next(struct cursor *c, struct arena *arena, struct span *mailbox)
{
    while (!cursor_at_end(c)) {
        struct strbuf text = read_mailbox(c, true, arena);
        struct span read = strbuf_span(&text);
        bool is_address = address_local(read).n > 0 && address_domain(read).n > 0;
        if (is_address)
            *mailbox = arena_dup(arena, read);
        strbuf_free(&text);
        if (is_address)
            return true;
    }
    return false;
}

void mailboxes_of_mailto(struct span uri, struct arena *arena, struct span *mailboxes, size_t most,
                         size_t *count)
{
    struct span to = span_sub(uri, sizeof "mailto:" - 1, uri.n);
    to.n = uri_has_scheme(uri, "mailto") ? span_find(to, '?') : 0;
    struct cursor c = cursor_of(uri_decode(to, arena));
    while (*count < most && mailbox_next(&c, arena, &mailboxes[*count]))
        ++*count;
}

struct span mailbox_author_domain(struct span from, struct arena *arena)
{
    struct span mailbox = span_of("", 0);
    struct cursor c = cursor_of(from);
    bool has_one = mailbox_next(&c, arena, &mailbox);
    struct span domain = address_domain(mailbox);
    return has_one && span_find(domain, ' ') == domain.n ? domain : span_of("", 0);
}
