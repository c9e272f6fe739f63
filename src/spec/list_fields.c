/* list_fields - see list_fields.h */
#include "spec/list_fields.h"

#include "mail/fold.h"
#include "mail/rfc5322.h"
#include "spec/uri.h"
#include "text/ascii.h"

#define LINE_COLUMNS 78 /* RFC 5322 2.1.1 */

/* Returns the fault of a comment, or of the text in its place; NULL if there is none. */
static const char *comment_fault(struct span comment)
{
    if (comment.n == 0)
        return NULL;
    if (!span_is_ascii(comment))
        return "has a character that is not ASCII in its comment";
    if (!span_is_printable_ascii(comment))
        return "has a control character in its comment";
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

/* item = [ comment *WSP ] ( URI / "NO" ) [ 1*WSP comment ] */
const char *list_item_split(struct span text, struct list_item *item)
{
    text = span_trim(text);
    struct cursor c = cursor_of(text);
    if (cursor_peek(&c) == '(')
        rfc5322_skip_comment(&c); /* to the end, if it is not closed */
    item->before = span_sub(text, 0, (size_t)(c.p - text.p));
    while (!cursor_at_end(&c) && ascii_is_blank(*c.p))
        c.p++;
    text = cursor_rest(&c);
    item->uri = span_sub(text, 0, span_find_any(text, " \t"));
    item->comment = span_trim(span_sub(text, item->uri.n, text.n));
    item->is_no = span_eq_nocase(item->uri, span_cstr("NO"));
    if (item->is_no)
        item->uri.n = 0;
    const char *fault = comment_fault(item->before);
    return fault != NULL ? fault : comment_fault(item->comment);
}

static void add_item(struct strbuf *out, const struct list_item *item)
{
    strbuf_add_span(out, item->before);
    strbuf_add_str(out, item->before.n > 0 ? " " : "");
    strbuf_add_str(out, item->is_no ? "NO" : "<");
    strbuf_add_span(out, item->uri);
    strbuf_add_str(out, item->is_no ? "" : ">");
    strbuf_add_str(out, item->comment.n > 0 ? " " : "");
    strbuf_add_span(out, item->comment);
}

void list_field_render(struct strbuf *out, struct span name, const struct list_item *items,
                       size_t count)
{
    size_t column = name.n + 1; /* bytes on the last line, the name of the field included */
    struct strbuf item = STRBUF_INIT;
    for (size_t i = 0; i < count; i++) {
        strbuf_reset(&item);
        add_item(&item, &items[i]);
        strbuf_add_str(&item, i + 1 < count ? "," : "");
        if (i > 0 && column + 1 + item.len > LINE_COLUMNS) {
            strbuf_add_char(out, '\n');
            column = 0;
        }
        strbuf_add_str(out, i > 0 ? " " : "");
        strbuf_add_span(out, strbuf_span(&item));
        column += 1 + item.len;
    }
    strbuf_free(&item);
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

/* field = [CFWS] "<" URI ">" *( [CFWS] "," [CFWS] "<" URI ">" ) any       RFC 2369 2 */
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
    if (!is_read || !cursor_take(&next, '<'))
        return false;
    struct span rest = cursor_rest(&next);
    size_t close = span_find(rest, '>');
    if (close == rest.n)
        return false;
    *uri = fold_without_space(span_sub(rest, 0, close), arena);
    *first = false;
    c->p = next.p + close + 1;
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
