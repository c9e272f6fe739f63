/* fold - see fold.h (RULINGS 5). White space is trimmed first: unfolding never changes what stands
 * at the ends, and a value that is folded before its first word then needs no copy. */
#include "mail/fold.h"

#include "text/ascii.h"

#include <string.h>

/* The first line end at or behind place `from` that a blank follows: its place, or s.n when there
 * is none, and what is behind it. */
static size_t next_fold(struct span s, size_t from, size_t *behind)
{
    for (size_t i = from; i < s.n; i++) {
        i += span_find(span_sub(s, i, s.n), '\n');
        *behind = i + 1;
        if (i + 1 < s.n && ascii_is_blank(s.p[i + 1]))
            return i > from && s.p[i - 1] == '\r' ? i - 1 : i;
    }
    return s.n;
}

struct span fold_text(struct span value, struct arena *arena)
{
    struct span s = span_trim(value);
    size_t behind;
    size_t n = next_fold(s, 0, &behind);
    if (n == s.n)
        return s;
    char *out = arena_strdup(arena, s);
    for (size_t fold = n; fold < s.n;) {
        size_t begin = behind;
        fold = next_fold(s, begin, &behind);
        memcpy(out + n, s.p + begin, fold - begin);
        n += fold - begin;
    }
    return span_of(out, n);
}
