/*
 * number - decimal numbers in a text
 *
 * Pure; any thread.  small: folders that share nothing else call it.
 */
#ifndef MLMILTER_TEXT_NUMBER_H
#define MLMILTER_TEXT_NUMBER_H

#include "text/span.h"

#include <stdbool.h>
#include <stdint.h>

/* A constant as a text, for messages and statements of SQL. */
#define NUMBER_TEXT(constant)    NUMBER_WRITTEN(constant)
#define NUMBER_WRITTEN(constant) #constant

/* Is all of text 1*DIGIT, and at most `most`? Then *number is its value; else it is left alone. */
bool number_parse(struct span text, uint64_t most, uint64_t *number);

#endif
