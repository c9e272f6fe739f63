/*
 * rfc5322 - the lexical tokens of header fields
 *
 *   quoted-string = DQUOTE *(qtext / quoted-pair) DQUOTE         3.2.4
 *   comment       = "(" *(ctext / quoted-pair / comment) ")"     3.2.2
 *   atext         = ALPHA / DIGIT / "!" / "#" / ... / "~"        3.2.3
 *   dot-atom-text = 1*atext *("." 1*atext)                       3.2.3
 *
 * Parsers are lenient in what octets a token holds and strict in how it ends.
 * Pure; any thread.
 */
#ifndef MLMILTER_MAIL_RFC5322_H
#define MLMILTER_MAIL_RFC5322_H

#include "text/cursor.h"
#include "text/span.h"

#include <stdbool.h>

bool rfc5322_is_atext(char c);
bool rfc5322_is_dot_atom(struct span s);

/* Step over the quoted string or comment that begins at the cursor. Return false, with the cursor
 * at the end, if it is not closed. Comments nest; their depth is not limited and costs no stack. */
bool rfc5322_skip_quoted_string(struct cursor *c);
bool rfc5322_skip_comment(struct cursor *c);

/* Steps over white space and comments. Returns false if a comment is not closed. */
bool rfc5322_skip_cfws(struct cursor *c);

#endif
