/*
 * check_form - what holds for every owned field: one copy, a name that is in use, octets, lines,
 * encoded words
 */
#ifndef MLMILTER_LINT_CHECK_FORM_H
#define MLMILTER_LINT_CHECK_FORM_H

#include "lint/context.h"

/* Each name once. */
void lint_check_copies(struct lint_context *c);

/* The field at a place, which is owned. */
void lint_check_form(struct lint_context *c, size_t place);

#endif
