/*
 * check_uri - one URI of a field
 */
#ifndef MLMILTER_LINT_CHECK_URI_H
#define MLMILTER_LINT_CHECK_URI_H

#include "lint/context.h"

#include <stdbool.h>

/* Is it a URI, and one that people may be shown? What is unwise about it is found, too, but makes
 * no difference to the answer. */
bool lint_check_uri(struct lint_context *c, enum field_name field, size_t place, struct span uri);

/* What to write instead of a URI that lacks a bracket, which is what people write most often; other
 * text, and one that would be cut, is not suggested. */
void lint_suggest_brackets(struct lint_context *c, struct span text);

/* There was white space between its brackets. */
void lint_find_uri_space(struct lint_context *c, enum field_name field, size_t place);

#endif
