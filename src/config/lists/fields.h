/*
 * fields - the values of List-Id and of the other List-* fields of a list (LI-07, LH)
 */
#ifndef MLMILTER_CONFIG_LISTS_FIELDS_H
#define MLMILTER_CONFIG_LISTS_FIELDS_H

#include "config/lists/draft.h"

/* Builds them. */
void draft_fields(struct list_draft *draft);

/* Of a list that the MTA expands, an item of the defaults that names the recipient, who is the list
 * itself, has no effect (RULINGS 16, 84). */
bool draft_is_left_out(const struct list_draft *draft, const struct config_text *text);

#endif
