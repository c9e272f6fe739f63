/* cursor - see cursor.h. */
#include "text/cursor.h"

#include "text/ascii.h"

struct cursor cursor_of(struct span s)
{
    /* NULL + 0 is undefined, and a parser should not have to think of it. */
    const char *begin = s.p == NULL ? "" : s.p;
    struct cursor c = {begin, begin + s.n};
    return c;
}

bool cursor_at_end(const struct cursor *c)
{
    return c->p >= c->end;
}

char cursor_peek(const struct cursor *c)
{
    return cursor_at_end(c) ? '\0' : *c->p;
}

bool cursor_take(struct cursor *c, char expected)
{
    if (cursor_at_end(c) || *c->p != expected)
        return false;
    c->p++;
    return true;
}

void cursor_skip_space(struct cursor *c)
{
    while (c->p < c->end && ascii_is_space(*c->p))
        c->p++;
}

struct span cursor_rest(const struct cursor *c)
{
    return span_of(c->p, (size_t)(c->end - c->p));
}
