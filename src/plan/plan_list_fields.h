/*
 * plan_list_fields - List-Id and the fields of RFC 2369 and RFC 8058
 *
 * 0, or -1 when out of memory, where nothing else is said.
 */
#ifndef MLMILTER_PLAN_PLAN_LIST_FIELDS_H
#define MLMILTER_PLAN_PLAN_LIST_FIELDS_H

#include "plan/plan_builder.h"

/* Inserts them. */
int plan_stamp_list_fields(struct builder *b);

#endif
