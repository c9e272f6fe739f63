/*
 * list_fields - the fields of URIs, such as List-Help (RFC 2369), and List-Unsubscribe-Post
 *
 * Pure; any thread.
 */
#ifndef MLMILTER_SPEC_LIST_FIELDS_H
#define MLMILTER_SPEC_LIST_FIELDS_H

#include "text/arena.h"
#include "text/cursor.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* One configured item: a URI, with comments before it, after it, both or none (LH-06, LH-17,
 * RULINGS 35, 85, 108). List-Post may have "NO" instead of the URI (LH-07): then is_no is set and
 * uri is empty. */
struct list_item {
    struct span before; /* the comments with their parentheses, or empty */
    struct span uri;
    struct span comment;
    bool is_no;
};

/* Separates the parts of a configured item: the URI ends at the first blank. The parts point into
 * text. Returns NULL, or the fault of a comment: a control character, one that is not ASCII,
 * parentheses not balanced, text after it. uri_fault (spec/uri.h) checks the URI. */
const char *list_item_split(struct span text, struct list_item *item);

/* Appends the value of a field of the given name: "(comment) <uri> (comment), <uri>" (RULINGS 35,
 * 36; LH-03, LH-06, LH-07, LH-16 to LH-18). LF SP follows a comma if the next item, with its comma,
 * would pass column 78. */
void list_field_render(struct strbuf *out, struct span name, const struct list_item *items,
                       size_t count);

/* The only value of List-Unsubscribe-Post (RFC 8058 3.1). */
#define LIST_FIELDS_ONE_CLICK "List-Unsubscribe=One-Click"

/* The number of URIs of a List-Unsubscribe that a mail program would fetch. */
struct web_items {
    size_t https;
    size_t http;
};

void web_items_count(struct web_items *web, struct span uri);

/* True if these URIs allow List-Unsubscribe-Post: one is https, none http (RFC 8058 3.1). */
bool web_items_allow_one_click(const struct web_items *web);

/* Reads the next URI of an unfolded value as a mail program must (LH-13), without white space
 * inside the brackets. Begin with a cursor at the start of the value and *first = true. Returns
 * true and sets *uri, which is a part of the value or lives in the arena; or false at the end. If
 * the cursor is then before the end of the value, mail programs ignore the rest. */
bool list_field_next_uri(struct cursor *c, bool *first, struct arena *arena, struct span *uri);

/* True if the unfolded value is "NO", as List-Post may be (LH-07), with or without comments. */
bool list_field_is_no(struct span value);

#endif
