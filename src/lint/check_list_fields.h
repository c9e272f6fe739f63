/*
 * check_list_fields - List-Help and the others (RFC 2369)
 */
#ifndef MLMILTER_LINT_CHECK_LIST_FIELDS_H
#define MLMILTER_LINT_CHECK_LIST_FIELDS_H

#include "lint/context.h"

/* The field at a place. What is found depends on its value alone: lint/memo.h. */
void lint_check_list_field(struct lint_context *c, size_t place);

#endif
