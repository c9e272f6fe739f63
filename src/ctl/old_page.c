/* old_page - see old_page.h */
#ifdef HAVE_CONFIG_H
#include <config.h> /* memmem is no C11 */
#endif

#include "ctl/old_page.h"

#include "mail/fold.h"
#include "spec/message_id.h"
#include "spec/uri.h"
#include "text/number.h"
#include "text/strbuf.h"

#include <stdint.h>

/* Bytes: of a line of a header (RFC 5322, 2.1.1), and shown of an address and of a date. */
#define ID_MAX      998
#define ADDRESS_MAX 320
#define DATE_MAX    100

/* ---- escapes ---- */

/* Returns the text with each "&#N;", N up to 255, replaced by its byte, once. */
static struct span decode_mhonarc(struct span text, struct arena *arena)
{
    char *out = arena_alloc(arena, text.n);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        struct span rest = span_sub(text, i, 6);
        uint64_t byte;
        size_t end = span_find(rest, ';');
        out[n++] = text.p[i];
        if (end < rest.n && span_starts_nocase(rest, span_cstr("&#")) &&
            number_parse(span_sub(rest, 2, end - 2), 255, &byte)) {
            out[n - 1] = (char)byte;
            i += end;
        }
    }
    return span_of(out, n);
}

/* Returns the text with each `from` replaced by a character. Counts them. */
static struct span replace_word(struct span text, const char *from, char to, struct arena *arena,
                                size_t *count)
{
    struct span word = span_cstr(from);
    char *out = arena_alloc(arena, text.n);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        bool is_word = span_eq(span_sub(text, i, word.n), word);
        out[n++] = is_word ? to : text.p[i];
        i += is_word ? word.n - 1 : 0;
        *count += is_word;
    }
    return span_of(out, n);
}

/* Returns the id in brackets, as a Message-ID field has it: MHonArc and Hypermail take them off. */
static struct span in_brackets(struct span bare, struct arena *arena)
{
    char *text = arena_alloc(arena, bare.n + 2);
    text[0] = '<';
    if (bare.n > 0)
        memcpy(text + 1, bare.p, bare.n);
    text[bare.n + 1] = '>';
    return span_of(text, bare.n + 2);
}

size_t old_page_add_words(struct strbuf *out, struct span text, size_t most)
{
    size_t count = 0;
    text = span_trim(text);
    for (; text.n > 0 && count < most; count++) {
        size_t n = span_find_any(text, " \t\r\n");
        strbuf_add_char(out, ' ');
        strbuf_add_span(out, span_sub(text, 0, n));
        text = span_trim(span_sub(text, n, text.n));
    }
    return count;
}

bool old_page_id_is_made(struct span bare)
{
    struct span rest = span_sub(bare, 8, bare.n);
    if (span_ends_nocase(bare, span_cstr("@NO-ID-FOUND.mhonarc.org")))
        return true;
    if (!span_starts_nocase(bare, span_cstr("mailman.")))
        return false;
    for (int i = 0; i < 3; i++) {
        uint64_t number;
        size_t n = span_find(rest, '.');
        if (n == rest.n || !number_parse(span_sub(rest, 0, n), UINT64_MAX, &number))
            return false;
        rest = span_sub(rest, n + 1, rest.n);
    }
    return true;
}

/* ---- markers: what an archiver writes above the post ---- */

struct reading {
    struct arena *arena;
    struct old_page *page;
    int ids;             /* places with an id */
    struct span address; /* of Pipermail: the sender's, as shown; p NULL: not seen yet */
    bool is_dated;       /* what follows the address was read */
};

/* Notes an id, unless it cannot be that of the post. */
static void set_id(struct reading *r, enum archiver archiver, enum page_id id, struct span id_text)
{
    struct span bare = message_id_bare(id_text);
    bool has_id = id == PAGE_ID_OWN || id == PAGE_ID_GUESSED;
    if (++r->ids > 1)
        id = PAGE_ID_TWO;
    else if (has_id && (bare.n == 0 || bare.n > ID_MAX))
        id = PAGE_ID_LOST;
    else if (has_id && old_page_id_is_made(bare))
        id = PAGE_ID_MADE;
    else if (has_id)
        r->page->id_text = id_text;
    r->page->archiver = archiver;
    r->page->id = id;
}

/* Returns the value of a parameter of a mailto: URI; p is NULL if it has none of that name. */
static struct span find_parameter(struct span query, const char *name)
{
    struct span start = span_cstr(name);
    while (query.n > 0) {
        size_t n = span_find(query, '&');
        struct span one = span_sub(query, 0, n);
        if (span_starts_nocase(one, span_cstr("amp;")))
            one = span_sub(one, 4, one.n);
        if (span_starts_nocase(one, start))
            return span_sub(one, start.n, one.n);
        query = span_sub(query, n + 1, query.n);
    }
    return span_of(NULL, 0);
}

/* Reads Pipermail's <LINK REL="made" HREF="mailto:ADDRESS?Subject=S&In-Reply-To=I">. I is the
 * post's Message-ID if S begins with "Re: " (Mailman 2.1.10 and later); before, it is the
 * Message-ID that the post answers. */
static void read_link(struct reading *r, struct span tag)
{
    size_t at = 0;
    bool is_made = false;
    struct span uri = {NULL, 0};
    for (; at < tag.n; at++) {
        struct span rest = span_sub(tag, at, tag.n);
        is_made = is_made || span_starts_nocase(rest, span_cstr("rel=\"made\""));
        if (uri.p == NULL && span_starts_nocase(rest, span_cstr("href=\"mailto:")))
            uri = span_sub(rest, 6, span_find(span_sub(rest, 6, rest.n), '"'));
    }
    if (!is_made || uri.p == NULL)
        return;
    struct span query = span_sub(uri, span_find(uri, '?'), uri.n);
    query = span_sub(query, 1, query.n);
    struct span reply = find_parameter(query, "In-Reply-To="),
                subject = find_parameter(query, "Subject=");
    if (reply.p == NULL && r->ids > 0)
        return;
    if (reply.p == NULL) {
        r->page->archiver = ARCHIVER_PIPERMAIL;
        r->page->id = PAGE_ID_ABSENT;
        return;
    }
    struct span shown = uri_decode(span_sub(subject, 0, 8), r->arena);
    if (!span_eq(span_sub(shown, 0, 4), span_cstr("Re: ")))
        set_id(r, ARCHIVER_PIPERMAIL, PAGE_ID_ABSENT, reply);
    else
        set_id(r, ARCHIVER_PIPERMAIL, PAGE_ID_OWN,
               fold_text(uri_decode(reply, r->arena), r->arena));
}

/* Reads the value of Hypermail's <!-- id="VALUE" -->. "@" is "_at_" unless the site shows it; if
 * the id has "--", each "-" of it is "&ndash;". "?" stands for bytes that are lost. */
static void read_hypermail(struct reading *r, struct span value)
{
    size_t dashes = 0, signs = 0;
    struct span id = replace_word(value, "&ndash;", '-', r->arena, &dashes);
    bool is_shown = span_find(id, '@') < id.n;
    if (!is_shown)
        id = replace_word(id, "_at_", '@', r->arena, &signs);
    bool is_lost = (!is_shown && signs != 1) || span_find(id, '?') < id.n;
    set_id(r, ARCHIVER_HYPERMAIL,
           is_lost    ? PAGE_ID_LOST
           : is_shown ? PAGE_ID_OWN
                      : PAGE_ID_GUESSED,
           in_brackets(id, r->arena));
}

/* Takes the value between `begin` and `end`, which is in the line, if the text begins so. Returns
 * false if it does not. */
static bool take_between(struct span text, const char *begin, const char *end, struct span *value)
{
    struct span start = span_cstr(begin), stop = span_cstr(end);
    if (!span_eq(span_sub(text, 0, start.n), start))
        return false;
    *value = span_sub(text, start.n, text.n);
    *value = span_sub(*value, 0, span_find(*value, '\n'));
    const char *found = value->n > 0 ? memmem(value->p, value->n, stop.p, stop.n) : NULL;
    value->n = found != NULL ? (size_t)(found - value->p) : 0;
    return true;
}

/* Reads the address in Pipermail's heading, <A HREF="mailto:..." TITLE="...">ann at a.example</A>.
 */
static void read_address(struct reading *r, struct span text)
{
    struct span shown = span_sub(text, span_find(text, '>') + 1, text.n);
    r->address = span_sub(span_sub(shown, 0, ADDRESS_MAX), 0, span_find(shown, '<'));
}

/* Reads the date below the heading, <I>Tue Mar  1 10:00:00 CET 2005</I>. */
static void read_arrival(struct reading *r, struct span text)
{
    struct strbuf words = STRBUF_INIT;
    struct span date = span_trim(span_sub(span_sub(text, 0, DATE_MAX), 0, span_find(text, '<')));
    r->is_dated = true;
    struct span year = span_sub(date, span_find_last(date, ' '), date.n);
    (void)old_page_add_words(&words, r->address, SIZE_MAX);
    if (old_page_add_words(&words, date, 4) == 4 && old_page_add_words(&words, year, 1) == 1)
        r->page->arrival = span_cstr(strbuf_keep(&words, r->arena));
    strbuf_free(&words);
}

/* Reads the markup that begins here. Returns false where the body of the post begins. */
static bool read_markup(struct reading *r, struct span text)
{
    static const char *const bodies[] = {"<!--X-Head-End-->", "<!--X-Body-Begin-->",
                                         "<!-- body=\"start\" -->", "<!--beginarticle-->"};
    struct span value, *date = &r->page->date_text;
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
        if (span_starts_nocase(text, span_cstr(bodies[i])))
            return false;
    if (take_between(text, "<!--X-Message-Id: ", " -->", &value))
        set_id(r, ARCHIVER_MHONARC, PAGE_ID_OWN,
               in_brackets(decode_mhonarc(value, r->arena), r->arena));
    else if (take_between(text, "<!-- id=\"", "\" -->", &value))
        read_hypermail(r, value);
    else if (date->p == NULL && (take_between(text, "<!--X-Date: ", " -->", &value) ||
                                 take_between(text, "<!-- sent=\"", "\" -->", &value)))
        *date = span_trim(decode_mhonarc(span_sub(value, 0, DATE_MAX), r->arena));
    else if (span_starts_nocase(text, span_cstr("<link")))
        read_link(r, span_sub(text, 1, span_find_any(span_sub(text, 1, text.n), "<>")));
    else if (r->address.p == NULL && span_starts_nocase(text, span_cstr("<a href=\"mailto:")))
        read_address(r, text);
    else if (r->address.p != NULL && !r->is_dated && span_starts_nocase(text, span_cstr("<i>")))
        read_arrival(r, span_sub(text, 3, text.n));
    return r->ids < 2;
}

void old_page_read(struct span text, struct arena *arena, struct old_page *page)
{
    struct reading r = {.arena = arena, .page = page};
    *page = (struct old_page){.archiver = ARCHIVERS};
    for (size_t at = 0; at < text.n; at++) {
        struct span rest = span_sub(text, at, text.n);
        at += span_find(rest, '<');
        if (at < text.n && !read_markup(&r, span_sub(text, at, text.n)))
            break;
    }
}
