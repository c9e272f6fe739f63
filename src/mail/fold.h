/*
 * fold - from a field's value as received to its text (RFC 5322 2.2.3)
 */
#ifndef MLMILTER_MAIL_FOLD_H
#define MLMILTER_MAIL_FOLD_H

#include "text/arena.h"
#include "text/span.h"

/* The text of a value: unfolded (a CRLF or LF that SP or TAB follows goes, the blank stays), then
 * SP, TAB, CR and LF taken off both ends. Nothing is copied when there is nothing to unfold: *text
 * then points into value; else into the arena. 0, or -1 when out of memory. */
int fold_text(struct span value, struct arena *arena, struct span *text);

#endif
