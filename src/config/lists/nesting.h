/*
 * nesting - the lists above a nested list, and who may bring their posts (AT-05, LI-11)
 */
#ifndef MLMILTER_CONFIG_LISTS_NESTING_H
#define MLMILTER_CONFIG_LISTS_NESTING_H

#include "config/lists/draft.h"

/* Sets the lists above this one. 0 or -1 (memory). */
int draft_nesting(struct list_draft *draft);

/* A copy of a nesting, which lists may share, with no parents but room for as many. NULL: out of
 * memory. */
struct nesting *nesting_copy(const struct nesting *all, struct arena *arena);

/* Puts a parent into the room. */
void nesting_add(struct nesting *left, struct span parent);

#endif
