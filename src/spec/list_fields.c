/* list_fields - see list_fields.h */
#include "spec/list_fields.h"

#include "mail/rfc5322.h"
#include "spec/bracketed.h"
#include "spec/encoded_word.h"
#include "spec/uri.h"
#include "text/ascii.h"

#define LINE_COLUMNS 78 /* RFC 5322 2.1.1 */

/* What is wrong with a comment, or with the text in its place. */
static const char *comment_fault(struct span comment)
{
    if (comment.n == 0)
        return NULL;
    for (size_t i = 0; i < comment.n; i++) {
        if (ascii_is_control(comment.p[i]))
            return "has a control character in its comment";
    }
    struct cursor c = cursor_of(comment);
    if (cursor_peek(&c) != '(')
        return "has text after a blank that is no comment in parentheses (expected \"%20\" for a "
               "blank in a URI)";
    if (!rfc5322_skip_comment(&c))
        return "has a comment whose parentheses are not balanced";
    if (!cursor_at_end(&c))
        return "has text after its comment";
    return NULL;
}

/*
 * item = [ comment *WSP ] ( URI / "NO" ) [ 1*WSP comment ]
 */
const char *list_item_split(struct span text, struct list_item *item)
{
    struct cursor c = cursor_of(span_trim(text));
    const char *start = c.p;
    if (cursor_peek(&c) == '(')
        rfc5322_skip_comment(&c); /* to the end, if it is not closed */
    item->before = span_of(start, (size_t)(c.p - start));
    while (!cursor_at_end(&c) && ascii_is_blank(*c.p))
        c.p++;
    start = c.p;
    while (!cursor_at_end(&c) && !ascii_is_blank(*c.p))
        c.p++;
    item->uri = span_of(start, (size_t)(c.p - start));
    item->comment = span_trim(cursor_rest(&c));
    item->is_no = span_eq_nocase(item->uri, span_cstr("NO"));
    if (item->is_no)
        item->uri.n = 0;
    const char *fault = comment_fault(item->before);
    return fault != NULL ? fault : comment_fault(item->comment);
}

/* The value while it is being written. */
struct writer {
    struct strbuf *out;
    size_t column; /* octets on its last line, the name of the field included */
    bool encoded;  /* that line holds an encoded word */
    bool
        begun; /* a blank stands in front of what comes next; before the first it is the caller's */
};

static bool fits(const struct writer *w, size_t length, bool encoded)
{
    return w->column + 1 + length <= (w->encoded || encoded ? ENCODED_LINE_COLUMNS : LINE_COLUMNS);
}

static void fold(struct writer *w)
{
    strbuf_add_char(w->out, '\n');
    w->column = 0;
    w->encoded = false;
}

/* What is in front of a part of `length` octets: a blank, or a fold, if the line holds an encoded
 * word or would hold one. Where plain text is folded is decided for a whole item (RULINGS 36). */
static void begin_part(struct writer *w, size_t length, bool encoded)
{
    if (w->begun && w->column > 0 && (w->encoded || encoded) && !fits(w, length, encoded))
        fold(w);
    if (w->begun)
        strbuf_add_char(w->out, ' ');
    w->column += 1 + length;
    w->encoded = w->encoded || encoded;
    w->begun = true;
}

static bool is_ascii(struct span text)
{
    return span_is_printable_ascii(text);
}

/* Is this octet of a comment the backslash in front of another one? */
static bool is_quoted_pair(struct span comment, size_t i)
{
    return comment.p[i] == '\\' && i + 2 < comment.n;
}

/* The text of a comment, as a reader sees it: parentheses and the backslashes of quoted-pairs off.
 */
static void add_comment_text(struct strbuf *out, struct span comment)
{
    for (size_t i = 1; i + 1 < comment.n; i++) {
        i += is_quoted_pair(comment, i);
        strbuf_add_char(out, comment.p[i]);
    }
}

/* A comment as encoded words (RFC 2047 5, rule 2), with `tail` octets to follow on its last line.
 */
static void write_encoded(struct writer *w, struct span comment, size_t tail)
{
    struct strbuf text = STRBUF_INIT;
    add_comment_text(&text, comment);
    for (struct span rest = strbuf_span(&text); rest.n > 0;) {
        bool is_first = rest.n == text.len;
        /* The first of the value cannot be folded, so it is made to fit. */
        size_t octets = w->begun ? ENCODED_WORD_OCTETS
                                 : encoded_word_room(w->column + 1 + sizeof "()" - 1 + tail);
        struct span word = encoded_word_take(rest, octets);
        size_t length = encoded_word_length(word.n) + is_first;
        rest = span_sub(rest, word.n, rest.n);
        if (rest.n == 0)
            length += 1 + tail;
        begin_part(w, length, true);
        if (is_first)
            strbuf_add_char(w->out, '(');
        encoded_word_add(w->out, word);
        if (rest.n == 0)
            strbuf_add_char(w->out, ')');
    }
    strbuf_free(&text);
}

static void write_comment(struct writer *w, struct span comment, size_t tail)
{
    if (comment.n == 0)
        return;
    if (!is_ascii(comment)) {
        write_encoded(w, comment, tail);
        return;
    }
    begin_part(w, comment.n + tail, false);
    strbuf_add_span(w->out, comment);
}

/* Octets of a comment on one line, with the blank that parts it from the URI. What needs several
 * encoded words does not fit into one. */
static size_t comment_length(struct span comment)
{
    size_t octets = 0;
    if (comment.n == 0)
        return 0;
    if (is_ascii(comment))
        return 1 + comment.n;
    for (size_t i = 1; i + 1 < comment.n; i++, octets++)
        i += is_quoted_pair(comment, i);
    return octets > ENCODED_WORD_OCTETS ? LINE_COLUMNS : 3 + encoded_word_length(octets);
}

static size_t item_length(const struct list_item *item)
{
    return comment_length(item->before) + (item->is_no ? 2 : item->uri.n + 2) +
           comment_length(item->comment);
}

/* `tail`: octets of the comma behind the item. */
static void write_item(struct writer *w, const struct list_item *item, size_t tail)
{
    size_t behind_uri = item->comment.n == 0 ? tail : 0;
    write_comment(w, item->before, 0);
    begin_part(w, (item->is_no ? 2 : item->uri.n + 2) + behind_uri, false);
    if (item->is_no) {
        strbuf_add_str(w->out, "NO");
    } else {
        strbuf_add_char(w->out, '<');
        strbuf_add_span(w->out, item->uri);
        strbuf_add_char(w->out, '>');
    }
    write_comment(w, item->comment, tail);
    if (tail > 0)
        strbuf_add_char(w->out, ',');
}

void list_field_render(struct strbuf *out, struct span name, const struct list_item *items,
                       size_t count)
{
    struct writer w = {.out = out, .column = name.n + 1};
    for (size_t i = 0; i < count; i++) {
        size_t comma = i + 1 < count ? 1 : 0;
        bool encoded = !is_ascii(items[i].before) || !is_ascii(items[i].comment);
        /* A value that fits on one line never gets here with a column over the limit, so that case
         * of RULINGS 36 needs no test of its own. */
        if (i > 0 && !fits(&w, item_length(&items[i]) + comma, encoded))
            fold(&w);
        write_item(&w, &items[i], comma);
    }
}

void web_items_count(struct web_items *web, struct span uri)
{
    web->https += uri_has_scheme(uri, "https");
    web->http += uri_has_scheme(uri, "http");
}

bool web_items_allow_one_click(const struct web_items *web)
{
    return web->https == 1 && web->http == 0;
}

/*
 * field = [CFWS] "<" URI ">" *( [CFWS] "," [CFWS] "<" URI ">" ) any       (RFC 2369 section 2)
 */
bool list_field_next_uri(struct cursor *c, bool *first, struct arena *arena, struct span *uri)
{
    struct cursor next = *c;
    bool is_read = rfc5322_skip_cfws(&next);
    if (!*first && is_read && cursor_take(&next, ','))
        is_read = rfc5322_skip_cfws(&next);
    else if (!*first && !cursor_at_end(&next))
        return false;
    if (is_read && cursor_at_end(&next) && !*first)
        *c = next;
    if (!is_read || !cursor_take(&next, '<') || !bracketed_read(&next, arena, uri))
        return false;
    *first = false;
    *c = next;
    return true;
}

/* no = [CFWS] "NO" [CFWS]                                       RFC 2369 3.4 */
bool list_field_is_no(struct span value)
{
    struct cursor c = cursor_of(value);
    if (!rfc5322_skip_cfws(&c) || !span_eq_nocase(span_sub(cursor_rest(&c), 0, 2), span_cstr("NO")))
        return false;
    c.p += 2;
    return rfc5322_skip_cfws(&c) && cursor_at_end(&c);
}
