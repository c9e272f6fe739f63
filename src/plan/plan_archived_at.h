/*
 * plan_archived_at - the stable URLs of a post (AT-01 to AT-06, SU-09, SU-17)
 *
 * 0, or -1 when out of memory, where nothing else is said.
 */
#ifndef MLMILTER_PLAN_PLAN_ARCHIVED_AT_H
#define MLMILTER_PLAN_PLAN_ARCHIVED_AT_H

#include "plan/plan_builder.h"

/* Inserts an Archived-At for each template of the list. */
int plan_stamp_archived_at(struct builder *b);

#endif
