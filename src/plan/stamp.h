/*
 * stamp - the fields that a distribution gets from its list; for plan/ only
 */
#ifndef MLMILTER_PLAN_STAMP_H
#define MLMILTER_PLAN_STAMP_H

#include "config/lists/list.h"
#include "plan/edits.h"

/* Inserts the fields of the list, in the order of RULINGS 2. */
void stamp_fields(struct build *b);

/* Inserts an Archived-At for each template. */
void stamp_archived_at(struct build *b, struct variable_values values);

/* Inserts List-Unsubscribe with the items for this transaction; sets b->allows_one_click. */
void stamp_unsubscribe(struct build *b, struct variable_values values);

/* True if no line of a field can hold the text of the template: one that repeats a long Message-ID
 * would make hundreds of megabytes. Escaping and padding only make it longer. */
bool stamp_is_too_long(const struct template *t, const struct variable_values *values);

/* Makes an item of a text. Returns NULL, or the reason why it has no URI. *missing is the variable
 * without a usable value, or VAR_COUNT for another reason, on which the operator should act. */
const char *stamp_make_item(const struct build *b, const struct list_text *text,
                            const struct variable_values *values, struct list_item *item,
                            enum variable *missing);

#endif
