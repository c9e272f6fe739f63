/*
 * list_texts - what posts get of a list, ready to be inserted
 *
 * Built with the list, then kept as stencils (text/stencil.h), which lists share: 100,000 lists
 * that take all they have from `defaults` differ in their ids alone.  A post has its list's texts
 * made again.
 */
#ifndef MLMILTER_CONFIG_LISTS_LIST_TEXTS_H
#define MLMILTER_CONFIG_LISTS_LIST_TEXTS_H

#include "mail/field_name.h"
#include "spec/uri_template.h"
#include "text/arena.h"
#include "text/span.h"

#include <stddef.h>

struct list;

/* An item of List-Unsubscribe that names the recipient, or stands beside one that does. */
struct item_template {
    struct template uri; /* bound to the list; needs at most VARS_RECIPIENT */
    struct span before;  /* the comments, as in struct list_item */
    struct span comment;
};

#define LIST_FIRST_FIELD FIELD_LIST_ID
#define LIST_LAST_FIELD  FIELD_LIST_ARCHIVE

struct list_texts {
    /* Rendered values, each with a NUL behind it; empty: the list has no such field. Ask
     * list_texts_field(). */
    struct span fields[LIST_LAST_FIELD - LIST_FIRST_FIELD + 1];
    struct span archive; /* first archive URI that is http or https, or empty */

    /* When an item of `unsubscribe` needs the recipient: all of its items, and no rendered value.
     */
    struct item_template *unsubscribe;
    size_t unsubscribe_count;

    struct template *archived_at; /* bound to the list */
    size_t archived_at_count;
};

/* The rendered value of a List-* field; empty when there is none. */
struct span list_texts_field(const struct list_texts *texts, enum field_name name);

/* Makes the texts of a list, in the arena or the list. */
void list_texts_of(const struct list *list, struct arena *arena, struct list_texts *texts);

/* Of the kinds of stencils that a list has; see list_texts.c. */
#define LIST_STENCILS 2

/* Patterns that lists had of late, of one kind; all zero: none yet. Borrowed. */
struct recent_stencils {
    const struct span *items[8];
    size_t last; /* the one that was used last */
};

/* Keeps the texts of a list, of which id and address are there. New stencils live in the arena. */
void list_texts_keep(struct list *list, const struct list_texts *texts,
                     struct recent_stencils recent[LIST_STENCILS], struct arena *arena);

#endif
