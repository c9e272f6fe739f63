/*
 * plan_stamp - the fields that a distribution gets from its list (RULINGS 2)
 *
 * 0, or -1 when out of memory, where nothing else is said.
 */
#ifndef MLMILTER_PLAN_PLAN_STAMP_H
#define MLMILTER_PLAN_PLAN_STAMP_H

#include "plan/plan_builder.h"

/* Inserts the fields of the list. */
int plan_stamp(struct builder *b);

#endif
