/*
 * check_list_id - List-Id (RFC 2919)
 */
#ifndef MLMILTER_LINT_CHECK_LIST_ID_H
#define MLMILTER_LINT_CHECK_LIST_ID_H

#include "lint/context.h"

/* The field at a place. */
void lint_check_list_id(struct lint_context *c, size_t place);

/* The message has none. */
void lint_check_list_id_missing(struct lint_context *c);

#endif
