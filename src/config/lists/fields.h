/*
 * fields - the values of List-Id and of the other List-* fields of a list (LI-07, LH)
 */
#ifndef MLMILTER_CONFIG_LISTS_FIELDS_H
#define MLMILTER_CONFIG_LISTS_FIELDS_H

#include "config/lists/draft.h"

/* Builds them. 0 or -1 (memory). */
int draft_fields(struct list_draft *draft);

#endif
