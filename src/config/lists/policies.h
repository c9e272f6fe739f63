/*
 * policies - the choices of a list, and what they exclude
 */
#ifndef MLMILTER_CONFIG_LISTS_POLICIES_H
#define MLMILTER_CONFIG_LISTS_POLICIES_H

#include "config/lists/draft.h"

/* What is wrong with a name in `keep` that is never kept (RULINGS 26). */
#define KEEP_FAULT                                                                                 \
    "cannot be kept, as its specification has it removed from every post (expected one such as "   \
    "\"List-Unsubscribe\" or \"Archived-At\")"

/* Sets all that is one of a few words. */
void draft_policies(struct list_draft *draft);

/* Sets which fields are kept (RULINGS 26). */
void draft_keep(struct list_draft *draft);

/* Checks that `select` has the addresses that it needs: when all of them are known. */
void draft_check_select(struct list_draft *draft);

#endif
