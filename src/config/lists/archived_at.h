/*
 * archived_at - the templates of Archived-At (AT, RULINGS 42, 47)
 */
#ifndef MLMILTER_CONFIG_LISTS_ARCHIVED_AT_H
#define MLMILTER_CONFIG_LISTS_ARCHIVED_AT_H

#include "config/lists/draft.h"

/* Checks the templates; {archive} must be known. */
void draft_archived_at(struct list_draft *draft);

#endif
