/*
 * fields - the values of List-Id and of the other List-* fields of a list (LI-07, LH)
 */
#ifndef MLMILTER_CONFIG_LISTS_FIELDS_H
#define MLMILTER_CONFIG_LISTS_FIELDS_H

#include "config/lists/draft.h"

/* Sets and checks the texts of the fields, and those of Archived-At. */
void draft_fields(struct list_draft *draft);

/* True if the text is of the defaults, and posts of the list never have it (list_leaves_out). */
bool draft_is_left_out(const struct list_draft *draft, const struct config_text *text);

#endif
