/*
 * rfc5322 - the lexical tokens of header fields
 *
 * A token may contain any byte, but must end as its grammar says.  Pure; any thread.
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
