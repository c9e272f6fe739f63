/* bracketed - see bracketed.h */
#include "spec/bracketed.h"

#include <stddef.h>

static size_t octets_without_space(struct span text, char *out)
{
    struct cursor c = cursor_of(text);
    size_t n = 0;
    for (cursor_skip_space(&c); !cursor_at_end(&c); cursor_skip_space(&c)) {
        if (out != NULL)
            out[n] = *c.p;
        n++;
        c.p++;
    }
    return n;
}

bool bracketed_read(struct cursor *c, struct arena *arena, struct span *text)
{
    struct span rest = cursor_rest(c);
    size_t close = span_find(rest, '>');
    if (close == rest.n)
        return false;
    struct span inside = span_sub(rest, 0, close);
    size_t n = octets_without_space(inside, NULL);
    if (n < inside.n) {
        char *copy = arena_alloc(arena, n);
        octets_without_space(inside, copy);
        inside = span_of(copy, n);
    }
    *text = inside;
    c->p += close + 1;
    return true;
}
