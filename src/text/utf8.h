/*
 * utf8 - is it UTF-8, and where do its characters end (RFC 3629)
 *
 * Pure; any thread.
 */
#ifndef MLMILTER_TEXT_UTF8_H
#define MLMILTER_TEXT_UTF8_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* Octets of the character that s begins with: 1 to 4; 0 when s is empty or does not begin with a
 * valid one (overlong forms, surrogates and values over U+10FFFF are not valid). */
size_t utf8_length(struct span s);

bool utf8_is_valid(struct span s);

/* Is the character that s begins with printed as what it is, where it stands? Not one that steers a
 * terminal (the control characters, U+0080 to U+009F among them), ends a line (U+2028, U+2029) or
 * changes the direction of what is around it (the bidirectional controls of Unicode Standard Annex
 * 9); nor is what is no UTF-8, or nothing. */
bool utf8_is_visible(struct span s);

/* Appends s for a terminal: "?" for each character that is not visible, and each octet of none. */
void utf8_add_visible(struct strbuf *out, struct span s);

#endif
