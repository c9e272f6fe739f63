/*
 * number - decimal numbers in a text
 *
 * Pure; any thread.
 */
#ifndef MLMILTER_TEXT_NUMBER_H
#define MLMILTER_TEXT_NUMBER_H

#include "text/span.h"

#include <stdbool.h>
#include <stdint.h>

/* Expands to a constant as a text, for messages and statements of SQL. */
#define NUMBER_TEXT(constant)    NUMBER_WRITTEN(constant)
#define NUMBER_WRITTEN(constant) #constant

/* Returns true and sets *number if text is 1*DIGIT and at most `most`. */
bool number_parse(struct span text, uint64_t most, uint64_t *number);

#endif
