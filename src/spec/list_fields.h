/*
 * list_fields - List-Help, List-Subscribe and the others (RFC 2369)
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

/* One configured item: a URI, with a comment in front of it, behind it, both or none (LH-06, LH-17,
 * RULINGS 35, 85). For List-Post also "NO" in place of the URI (LH-07): then is_no is set and uri
 * is empty. */
struct list_item {
    struct span before; /* the comments, UTF-8, with their parentheses, or empty */
    struct span uri;
    struct span comment;
    bool is_no;
};

/* Takes a configured item, UTF-8, apart: the URI ends at the first blank. The parts point into
 * text. NULL, or what is wrong with a comment (a control character, parentheses not balanced, text
 * behind it). The URI itself is left to spec/uri.h. */
const char *list_item_split(struct span text, struct list_item *item);

/* Appends the value of a field of the given name (RULINGS 35, 36, 85; LH-03, LH-06, LH-07, LH-16 to
 * LH-18): "(comment) <uri> (comment), <uri>", on one line when "name: value" has at most 78 octets,
 * else an LF SP behind a comma wherever the next item, with the comma behind it, would pass column
 * 78. A comment that is not ASCII is written as encoded words; a line with one of these ends at
 * column 76, and is also folded within its item. */
void list_field_render(struct strbuf *out, struct span name, const struct list_item *items,
                       size_t count);

/* The only value of List-Unsubscribe-Post (RFC 8058 3.1). */
#define LIST_FIELDS_ONE_CLICK "List-Unsubscribe=One-Click"

/* How many URIs of a List-Unsubscribe a mail program would fetch. */
struct web_items {
    size_t https;
    size_t http;
};

void web_items_count(struct web_items *web, struct span uri);

/* May List-Unsubscribe-Post stand beside these: is there one https URI and no http URI (RFC 8058
 * 3.1)? */
bool web_items_allow_one_click(const struct web_items *web);

/* Reads the next URI of an unfolded value as a mail program must (LH-13), without white space
 * inside the brackets. Returns true and sets *uri, which is a part of the value or lives in the
 * arena. Returns false if there is no more; unless all was read, the cursor is then before the
 * text that a mail program ignores. Start with a cursor at the begin of the value and *first =
 * true. */
bool list_field_next_uri(struct cursor *c, bool *first, struct arena *arena, struct span *uri);

/* Is the unfolded value "NO", which List-Post may be (LH-07), with or without comments? */
bool list_field_is_no(struct span value);

#endif
