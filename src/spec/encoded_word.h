/*
 * encoded_word - text with other characters than ASCII in a header field (RFC 2047)
 *
 * Pure; any thread.
 */
#ifndef MLMILTER_SPEC_ENCODED_WORD_H
#define MLMILTER_SPEC_ENCODED_WORD_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

#define ENCODED_LINE_COLUMNS 76 /* of a line with encoded words: section 2 */
#define ENCODED_WORD_OCTETS  45 /* of text in one word, which has 72 characters then */

/* The length in characters of an encoded-word that holds that number of octets. */
size_t encoded_word_length(size_t octets);

/* Octets of text that a word may hold on a line with `columns` characters beside it; at most 45. */
size_t encoded_word_room(size_t columns);

/* As many whole characters from the begin of text, which is UTF-8, as have at most `octets` octets;
 * at least one: what one word holds (section 5). */
struct span encoded_word_take(struct span text, size_t octets);

/* Appends the text as one word, "=?UTF-8?B?...?=". */
void encoded_word_add(struct strbuf *out, struct span text);

/* True if text, which is ASCII, contains a part that a mail program may take for a word and decode.
 */
bool encoded_word_seems(struct span text);

#endif
