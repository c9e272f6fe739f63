/*
 * plan_removal - which of the message's fields go
 *
 * 0, or -1 when out of memory, where nothing else is said.
 */
#ifndef MLMILTER_PLAN_PLAN_REMOVAL_H
#define MLMILTER_PLAN_PLAN_REMOVAL_H

#include "plan/plan_builder.h"

/* Deletes the owned fields that are to go; sets b->has_https_unsubscribe. */
int plan_remove(struct builder *b);

#endif
