/*
 * plan_field - what the list and its parent say of one owned field
 *
 * 0, or -1 when out of memory, where nothing else is said.
 */
#ifndef MLMILTER_PLAN_PLAN_FIELD_H
#define MLMILTER_PLAN_PLAN_FIELD_H

#include "plan/plan_builder.h"

/* A field of this name stays, because `keep` says so and the message has one. Not
 * List-Unsubscribe-Post alone, nor beside a List-Unsubscribe without https (RULINGS 26). */
bool plan_keeps(const struct builder *b, enum field_name name);

/* The message is a parent's post, and this field is the parent's to set (RULINGS 27). */
bool plan_leaves_to_parent(const struct builder *b, enum field_name name);

/* The clause by which a nested list replaces or adds this field; NULL: none. */
const char *plan_nested_clause(enum field_name name);

/* Inserts an owned field that the list has, unless `keep` leaves the message's own, or the parent's
 * stays. An empty value is no field. */
int plan_stamp_field(struct builder *b, enum field_name name, struct span value);

#endif
