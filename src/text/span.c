/* span - see span.h. An empty span may hold a NULL pointer, which memcmp and pointer arithmetic
 * must not meet. */
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
    while (s.n > 0 && ascii_is_space(s.p[0])) {
        s.p++;
        s.n--;
    }
    return s;
}

bool span_is_printable_ascii(struct span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < 0x20 || s.p[i] > 0x7E)
            return false;
    return true;
}
