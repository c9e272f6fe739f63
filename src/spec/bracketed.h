/*
 * bracketed - what stands between angle brackets, read as LI-06 and RFC 2369 2 ask
 */
#ifndef MLMILTER_SPEC_BRACKETED_H
#define MLMILTER_SPEC_BRACKETED_H

#include "text/arena.h"
#include "text/cursor.h"
#include "text/span.h"

#include <stdbool.h>

/* Reads from after a "<" up to the next ">", without SP, TAB, CR and LF, and steps over that.
 * Returns true and sets *text, which is a part of the cursor's text or lives in the arena, or false
 * if there is no ">": then the cursor has not moved. */
bool bracketed_read(struct cursor *c, struct arena *arena, struct span *text);

#endif
