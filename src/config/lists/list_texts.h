/*
 * list_texts - the texts of a list, compiled
 *
 * They live in the arena of the settings.  Lists that write none of their own share the texts of
 * `defaults` and of their manager.  For each post, they are expanded with the values of the list.
 */
#ifndef MLMILTER_CONFIG_LISTS_LIST_TEXTS_H
#define MLMILTER_CONFIG_LISTS_LIST_TEXTS_H

#include "mail/field_name.h"
#include "spec/list_fields.h"
#include "spec/uri_template.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

struct list;

/* A value with variables. */
struct list_text {
    struct template text;            /* of an item of a List-* field, the URI */
    const struct template *comments; /* before and after it; NULL: none */
};

/* True if the text is the item "NO" of List-Post: it has no URI. */
static inline bool list_text_is_no(const struct list_text *text)
{
    return text->text.count == 0;
}

/* The values of a key. */
struct list_text_array {
    const struct list_text *items;
    size_t count;
};

#define LIST_FIRST_FIELD FIELD_LIST_ID
#define LIST_LAST_FIELD  FIELD_LIST_ARCHIVE

struct list_texts {
    struct list_text_array fields[LIST_LAST_FIELD - FIELD_LIST_HELP + 1]; /* from List-Help on */
    struct list_text_array archived_at; /* as in the configuration, also if some are left out */
};

/* Returns the items of a List-* field other than List-Id. */
const struct list_text_array *list_items(const struct list *list, enum field_name name);

/* True if posts of the list never have the item or template: it names the recipient, which is the
 * list itself (RULINGS 16, 84), or it has {archive} and the list has no archive (RULINGS 42). */
bool list_leaves_out(const struct list *list, const struct list_text *text);

/* Expands an item. Returns as template_expand does for its URI. */
enum variable list_item_make(const struct list_text *text, const struct variable_values *values,
                             struct arena *arena, struct list_item *item);

/* Returns the value of List-Id, or of a field with items that do not name the recipient; empty if
 * the list has no such field. The value has a NUL after it. */
struct span list_field_value(const struct list *list, enum field_name name,
                             const struct variable_values *values, struct arena *arena);

/* Sets {archive} to the first URI of List-Archive that is http or https (RULINGS 42). */
void list_set_archive(const struct list *list, struct arena *arena, struct variable_values *values);

#endif
