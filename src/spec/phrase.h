/*
 * phrase - any text as a phrase (RFC 5322 3.2.5, RFC 2047)
 */
#ifndef MLMILTER_SPEC_PHRASE_H
#define MLMILTER_SPEC_PHRASE_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends text as a phrase (RULINGS 37), blanks at its ends off: words of atext with single blanks
 * as they are, unless one looks like an encoded word; other printable ASCII as a quoted string;
 * with any other character the whole as encoded words "=?UTF-8?B?...?=" of at most 45 octets each,
 * whole characters only, separated by LF SP. The first two are folded in front of a word that would
 * pass column 78. Nothing for an empty text. text is valid UTF-8 without control characters.
 * `column`: the octets in front of the phrase on its line ("List-Id: " is 9); the first encoded
 * word is shorter where its line would pass the 76 columns of RFC 2047. */
void phrase_add(struct strbuf *out, struct span text, size_t column);

/* Is that phrase one of encoded words? Then each of its lines ends at column 76. */
bool phrase_is_encoded(struct span text);

#endif
