/*
 * check_post - what tells one post from another: Message-ID, what is made of it, numbers,
 * Archived-At
 */
#ifndef MLMILTER_LINT_CHECK_POST_H
#define MLMILTER_LINT_CHECK_POST_H

#include "lint/context.h"

void lint_check_message_id(struct lint_context *c);

/* The field at a place: a hash, a number, or Archived-At. */
void lint_check_hash(struct lint_context *c, size_t place);
void lint_check_list_hash(struct lint_context *c, size_t place);
void lint_check_number(struct lint_context *c, size_t place);
void lint_check_archived_at(struct lint_context *c, size_t place);

/* All Archived-At together: two that are the same, and none where there should be none. */
void lint_check_archived_ats(struct lint_context *c);

#endif
