/* bracketed - see bracketed.h */
#include "spec/bracketed.h"

#include <stddef.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool bracketed_read(struct cursor *c, struct arena *arena, struct span *text)
{
    struct span rest = cursor_rest(c);
    size_t close = span_find(rest, '>'), spaces = 0, n = 0;
    char *copy;
    if (close == rest.n)
        return false;
    *text = span_sub(rest, 0, close);
    c->p += close + 1;
    for (size_t i = 0; i < close; i++)
        spaces += is_space(rest.p[i]);
    if (spaces == 0)
        return true;
    copy = arena_alloc(arena, close - spaces);
    for (size_t i = 0; i < close; i++)
        if (!is_space(rest.p[i]))
            copy[n++] = rest.p[i];
    *text = span_of(copy, n);
    return true;
}
