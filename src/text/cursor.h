/*
 * cursor - a place in borrowed text that a parser moves forward (inline only)
 *
 * The text ends before `end`; a NUL does not end it.  Pure; any thread.
 */
#ifndef MLMILTER_TEXT_CURSOR_H
#define MLMILTER_TEXT_CURSOR_H

#include "text/span.h"

#include <stdbool.h>

struct cursor {
    const char *p;
    const char *end;
};

/* Returns a cursor at the start of s. */
static inline struct cursor cursor_of(struct span s)
{
    const char *begin = s.p == NULL ? "" : s.p; /* NULL + 0 is undefined */
    return (struct cursor){begin, begin + s.n};
}

static inline bool cursor_at_end(const struct cursor *c)
{
    return c->p >= c->end;
}

/* Returns the byte at the cursor, or 0 at the end. */
static inline char cursor_peek(const struct cursor *c)
{
    return cursor_at_end(c) ? '\0' : *c->p;
}

/* Steps over the next byte if it is `expected`. Returns true if it did. */
static inline bool cursor_take(struct cursor *c, char expected)
{
    if (cursor_at_end(c) || *c->p != expected)
        return false;
    c->p++;
    return true;
}

/* Returns the text from the cursor to the end. */
static inline struct span cursor_rest(const struct cursor *c)
{
    return span_of(c->p, (size_t)(c->end - c->p));
}

#endif
