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
 * at most 45 octets each, with LF SP between them. Plain and quoted words are folded before a word
 * that would pass column 78. `column`: the octets before the phrase on its line ("List-Id: " is 9);
 * the first encoded word is shorter where its line would pass the 76 columns of RFC 2047. */
void phrase_add(struct strbuf *out, struct span text, size_t column);

/* True if the phrase of text consists of encoded words: each of its lines ends at column 76. */
bool phrase_is_encoded(struct span text);

/* True if text, which is ASCII, contains text that a mail program may decode as an encoded word,
 * within a longer word, too. */
bool phrase_seems_encoded(struct span text);

#endif
