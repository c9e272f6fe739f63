/* fold - see fold.h (RULINGS 5). White space is trimmed first: a value that is folded before its
 * first word then needs no copy. */
#include "mail/fold.h"

#include "text/ascii.h"

#include <string.h>

/* Returns the place of the first line end before a blank, from place `from` on, or s.n. Its line
 * end is an LF with all CRs before it. Sets *after to the place of the blank. */
static size_t next_fold(struct span s, size_t from, size_t *after)
{
    for (size_t i = from; i < s.n; i++) {
        i += span_find(span_sub(s, i, s.n), '\n');
        *after = i + 1;
        if (i + 1 >= s.n || !ascii_is_blank(s.p[i + 1]))
            continue;
        while (i > from && s.p[i - 1] == '\r')
            i--;
        return i;
    }
    return s.n;
}

struct span fold_text(struct span value, struct arena *arena)
{
    struct span s = span_trim(value);
    size_t after;
    size_t n = next_fold(s, 0, &after);
    if (n == s.n)
        return s;
    char *out = arena_strdup(arena, s);
    for (size_t fold = n; fold < s.n;) {
        size_t begin = after;
        fold = next_fold(s, begin, &after);
        memcpy(out + n, s.p + begin, fold - begin);
        n += fold - begin;
    }
    return span_of(out, n);
}

struct span fold_without_space(struct span text, struct arena *arena)
{
    size_t n = span_find_any(text, " \t\r\n");
    if (n == text.n)
        return text;
    char *out = arena_strdup(arena, text);
    for (size_t i = n; i < text.n; i++)
        if (!ascii_is_space(text.p[i]))
            out[n++] = text.p[i];
    return span_of(out, n);
}

bool fold_has_stray_cr(struct span value)
{
    for (size_t i = span_find(value, '\r'); i < value.n;
         i += span_find(span_sub(value, i, value.n), '\r')) {
        while (i < value.n && value.p[i] == '\r')
            i++;
        if (i < value.n && value.p[i] != '\n')
            return true;
    }
    return false;
}
