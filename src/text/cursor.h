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

/* The octet at the cursor; 0 at the end (ask cursor_at_end to tell it from a NUL octet). */
char cursor_peek(const struct cursor *c);

/* Steps over the next octet if it is `expected`; says whether it did. */
bool cursor_take(struct cursor *c, char expected);

/* Steps over SP, TAB, CR and LF. */
void cursor_skip_space(struct cursor *c);

/* Everything from the cursor to the end. */
struct span cursor_rest(const struct cursor *c);

#endif
