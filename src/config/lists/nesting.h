/*
 * nesting - the lists above a nested list, and who may bring their posts (AT-05, LI-11)
 */
#ifndef MLMILTER_CONFIG_LISTS_NESTING_H
#define MLMILTER_CONFIG_LISTS_NESTING_H

#include "config/lists/draft.h"

/* Sets the lists above this one. */
void draft_nesting(struct list_draft *draft);

/* Returns a copy of a nesting, which lists may share, with room for its parents and none of them.
 */
struct nesting *nesting_copy(const struct nesting *all, struct arena *arena);

/* Puts a parent into the room. */
void nesting_add(struct nesting *left, struct span parent);

#endif
