/*
 * phrase - any text as a phrase (RFC 5322 3.2.5, RFC 2047)
 */
#ifndef MLMILTER_SPEC_PHRASE_H
#define MLMILTER_SPEC_PHRASE_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

#define ENCODED_LINE_COLUMNS 76 /* of a line with encoded words: RFC 2047 2 */

/* Appends text, valid UTF-8 without control characters, as a phrase (RULINGS 37), without blanks at
 * its ends. Words of atext with single blanks stay; other printable ASCII becomes a quoted string,
 * also text that looks like an encoded word; other text becomes encoded words of whole characters,
 * at most 45 bytes each, with LF SP between them. Plain and quoted words are folded before a word
 * that would pass column 78, encoded words before column 76. column: the bytes before the phrase on
 * its line ("List-Id: " is 9). Returns the bytes of the last line. */
size_t phrase_add(struct strbuf *out, struct span text, size_t column);

/* True if the phrase of text consists of encoded words: each of its lines ends at column 76. */
bool phrase_is_encoded(struct span text);

#endif
