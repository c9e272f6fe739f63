/* span - see span.h. An empty span may have a NULL pointer, which memcmp must not get. */
#include "text/span.h"

#include "text/ascii.h"

#include <string.h>

bool span_eq(struct span a, struct span b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool span_eq_nocase(struct span a, struct span b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (a.p[i] != b.p[i] && ascii_lower(a.p[i]) != ascii_lower(b.p[i]))
            return false;
    return true;
}

bool span_starts_nocase(struct span s, struct span start)
{
    return start.n <= s.n && span_eq_nocase(span_sub(s, 0, start.n), start);
}

bool span_ends_nocase(struct span s, struct span end)
{
    return end.n <= s.n && span_eq_nocase(span_sub(s, s.n - end.n, end.n), end);
}

struct span span_trim(struct span s)
{
    while (s.n > 0 && ascii_is_space(s.p[s.n - 1]))
        s.n--;
    while (s.n > 0 && ascii_is_space(s.p[0]))
        s = span_of(s.p + 1, s.n - 1);
    return s;
}

size_t span_find_last(struct span s, char c)
{
    for (size_t i = s.n; i > 0; i--)
        if (s.p[i - 1] == c)
            return i - 1;
    return s.n;
}

size_t span_find_any(struct span s, const char *set)
{
    for (; *set != '\0'; set++)
        s.n = span_find(s, *set);
    return s.n;
}

struct span span_take_line(struct span *rest)
{
    struct span line = span_sub(*rest, 0, span_find(*rest, '\n'));
    *rest = span_sub(*rest, line.n + 1, rest->n);
    return span_sub(line, 0, line.n - (line.n > 0 && line.p[line.n - 1] == '\r'));
}

bool span_is_ascii(struct span s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] >= 0x80)
            return false;
    return true;
}

bool span_is_printable_ascii(struct span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < 0x20 || s.p[i] > 0x7E)
            return false;
    return true;
}
