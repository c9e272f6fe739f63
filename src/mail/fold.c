/* fold - see fold.h (RULINGS 5). White space is trimmed first: unfolding never changes what stands
 * at the ends, and a value that is folded before its first word then needs no copy. */
#include "mail/fold.h"

#include "text/ascii.h"

/* Octets of the line end at place i that a blank follows; 0 when there is no such fold. */
static size_t fold_at(struct span s, size_t i)
{
    size_t n = s.p[i] == '\n' ? 1 : s.p[i] == '\r' && i + 1 < s.n && s.p[i + 1] == '\n' ? 2 : 0;
    return n > 0 && i + n < s.n && ascii_is_blank(s.p[i + n]) ? n : 0;
}

int fold_text(struct span value, struct arena *arena, struct span *text)
{
    struct span s = span_trim(value);
    *text = s;
    size_t i = 0;
    while (i < s.n && fold_at(s, i) == 0)
        i++;
    if (i == s.n)
        return 0;
    char *out = arena_strdup(arena, s);
    if (out == NULL)
        return -1;
    size_t n = i;
    while (i < s.n) {
        size_t fold = fold_at(s, i);
        if (fold == 0)
            out[n++] = s.p[i++];
        i += fold;
    }
    *text = span_of(out, n);
    return 0;
}
