/*
 * bracketed - what stands between angle brackets, read as LI-06 and RFC 2369 2 ask
 */
#ifndef MLMILTER_SPEC_BRACKETED_H
#define MLMILTER_SPEC_BRACKETED_H

#include "text/arena.h"
#include "text/cursor.h"
#include "text/span.h"

/* The cursor stands behind a "<": takes everything up to the next ">", SP, TAB, CR and LF deleted,
 * and steps behind it. 1: *text is set (it points into the cursor's text, or into the arena when
 * something was deleted); 0: there is no ">", the cursor has not moved; -1: out of memory. */
int bracketed_read(struct cursor *c, struct arena *arena, struct span *text);

#endif
