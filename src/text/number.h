/*
 * number - decimal numbers in a text (inline only)
 */
#ifndef MLMILTER_TEXT_NUMBER_H
#define MLMILTER_TEXT_NUMBER_H

#include "text/ascii.h"
#include "text/span.h"

#include <stdbool.h>
#include <stdint.h>

/* Expands to a constant as a text, for messages and statements of SQL. */
#define NUMBER_TEXT(constant)    NUMBER_WRITTEN(constant)
#define NUMBER_WRITTEN(constant) #constant

/* Returns true and sets *number if text is 1*DIGIT and at most `most`. */
static inline bool number_parse(struct span text, uint64_t most, uint64_t *number)
{
    uint64_t value = 0;
    for (size_t i = 0; i < text.n; i++) {
        uint64_t digit = (uint64_t)(text.p[i] - '0');
        if (!ascii_is_digit(text.p[i]) || digit > most || value > (most - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (text.n > 0)
        *number = value;
    return text.n > 0;
}

#endif
