/*
 * utf8 - is it UTF-8, and where do its characters end (RFC 3629)
 *
 * Pure; any thread.
 */
#ifndef MLMILTER_TEXT_UTF8_H
#define MLMILTER_TEXT_UTF8_H

#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* Octets of the character that s begins with: 1 to 4; 0 when s is empty or does not begin with a
 * valid one (overlong forms, surrogates and values over U+10FFFF are not valid). */
size_t utf8_length(struct span s);

bool utf8_is_valid(struct span s);

#endif
