/*
 * utf8 - characters of UTF-8 (RFC 3629)
 *
 * Pure; any thread.
 */
#ifndef MLMILTER_TEXT_UTF8_H
#define MLMILTER_TEXT_UTF8_H

#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns the bytes of the character that s begins with, 1 to 4, or 0 if s does not begin with a
 * valid one. Overlong forms, surrogates and values over U+10FFFF are not valid. */
size_t utf8_length(struct span s);

bool utf8_is_valid(struct span s);

#endif
