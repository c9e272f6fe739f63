/*
 * hints - what is legal but unwise in a list (RULINGS 84)
 */
#ifndef MLMILTER_CONFIG_LISTS_HINTS_H
#define MLMILTER_CONFIG_LISTS_HINTS_H

#include "config/lists/draft.h"

/* The hints about a list without errors. */
void draft_hints(struct list_draft *draft);

#endif
