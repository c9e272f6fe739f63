/* list_fields - see list_fields.h */
#include "spec/list_fields.h"

#include "mail/rfc5322.h"
#include "spec/bracketed.h"
#include "text/ascii.h"

#define LINE_COLUMNS 78 /* RFC 5322 2.1.1 */

/* What is wrong with the text behind a URI, which is a comment or nothing. */
static const char *comment_fault(struct span comment)
{
    if (comment.n == 0)
        return NULL;
    for (size_t i = 0; i < comment.n; i++) {
        if ((unsigned char)comment.p[i] >= 0x80)
            return "has a comment that is not ASCII";
        if (ascii_is_control(comment.p[i]))
            return "has a control character in its comment";
    }
    struct cursor c = cursor_of(comment);
    if (cursor_peek(&c) != '(')
        return "has text behind a blank that is no comment in parentheses (expected \"%20\" for a "
               "blank in a URI)";
    if (!rfc5322_skip_comment(&c))
        return "has a comment whose parentheses are not balanced";
    if (!cursor_at_end(&c))
        return "has text behind its comment";
    return NULL;
}

/*
 * item = ( URI / "NO" ) [ 1*WSP comment ]
 */
const char *list_item_split(struct span text, struct list_item *item)
{
    struct cursor c = cursor_of(span_trim(text));
    const char *start = c.p;

    while (!cursor_at_end(&c) && !ascii_is_blank(*c.p))
        c.p++;
    item->uri = span_of(start, (size_t)(c.p - start));
    item->comment = span_trim(cursor_rest(&c));
    item->is_no = span_eq_nocase(item->uri, span_cstr("NO"));
    if (item->is_no)
        item->uri.n = 0;
    return comment_fault(item->comment);
}

static size_t item_length(const struct list_item *item)
{
    size_t n = item->is_no ? 2 : item->uri.n + 2;

    return item->comment.n > 0 ? n + 1 + item->comment.n : n;
}

static void add_item(struct strbuf *out, const struct list_item *item)
{
    if (item->is_no) {
        strbuf_add_str(out, "NO");
    } else {
        strbuf_add_char(out, '<');
        strbuf_add_span(out, item->uri);
        strbuf_add_char(out, '>');
    }
    if (item->comment.n > 0) {
        strbuf_add_char(out, ' ');
        strbuf_add_span(out, item->comment);
    }
}

void list_field_render(struct strbuf *out, struct span name, const struct list_item *items,
                       size_t count)
{
    size_t column = name.n + 1; /* "name:"; a blank stands before each item, the first too */

    for (size_t i = 0; i < count; i++) {
        size_t comma = i + 1 < count ? 1 : 0;
        size_t width = 1 + item_length(&items[i]) + comma;

        /* A value that fits on one line never gets here with column + width over the limit, so
         * that case of RULINGS 36 needs no test of its own. */
        if (i > 0 && column + width > LINE_COLUMNS) {
            strbuf_add_char(out, '\n');
            column = 0;
        }
        if (i > 0)
            strbuf_add_char(out, ' ');
        add_item(out, &items[i]);
        if (comma > 0)
            strbuf_add_char(out, ',');
        column += width;
    }
}

/* There is no further URI, and there will be none: what follows is to be ignored. */
static int no_more(struct cursor *c)
{
    c->p = c->end;
    return 0;
}

/*
 * field = [CFWS] "<" URI ">" *( [CFWS] "," [CFWS] "<" URI ">" ) any       (RFC 2369 section 2)
 */
int list_field_next_uri(struct cursor *c, bool *first, struct arena *arena, struct span *uri)
{
    if (!*first) {
        if (!rfc5322_skip_cfws(c) || !cursor_take(c, ','))
            return no_more(c);
    }
    *first = false;
    if (!rfc5322_skip_cfws(c) || !cursor_take(c, '<'))
        return no_more(c);

    int found = bracketed_read(c, arena, uri);
    return found == 0 ? no_more(c) : found;
}
