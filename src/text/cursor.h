/*
 * cursor - a place in borrowed text that a parser moves forward
 *
 * Parsers look at text from `p` up to, not including, `end`, and never past it;
 * they do not trust a NUL.  Pure; any thread.
 */
#ifndef MLMILTER_TEXT_CURSOR_H
#define MLMILTER_TEXT_CURSOR_H

#include "text/span.h"

#include <stdbool.h>

struct cursor {
    const char *p;
    const char *end;
};

struct cursor cursor_of(struct span s);

bool cursor_at_end(const struct cursor *c);

/* Returns the byte at the cursor, or 0 at the end. */
char cursor_peek(const struct cursor *c);

/* Steps over the next byte if it is `expected`. Returns true if it did. */
bool cursor_take(struct cursor *c, char expected);

/* Steps over SP, TAB, CR and LF. */
void cursor_skip_space(struct cursor *c);

/* Returns the text from the cursor to the end. */
struct span cursor_rest(const struct cursor *c);

#endif
