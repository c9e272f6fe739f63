/*
 * plan_record - what follows from the store's word about the post (RULINGS 10, 32, 33, 50, 55)
 *
 * 0, or -1 when out of memory, where nothing else is said.
 */
#ifndef MLMILTER_PLAN_PLAN_RECORD_H
#define MLMILTER_PLAN_PLAN_RECORD_H

#include "plan/plan_builder.h"

/* Sets the number of the post, and what follows from what the store said: notes, a refusal, no
 * Archived-At. */
int plan_heed_record(struct builder *b);

#endif
