/* span - see span.h. An empty span may hold a NULL pointer, which memcmp and pointer arithmetic
 * must not meet. */
#include "text/span.h"

#include "text/ascii.h"

#include <stdint.h>
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

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct span span_trim(struct span s)
{
    while (s.n > 0 && is_space(s.p[s.n - 1]))
        s.n--;
    while (s.n > 0 && is_space(s.p[0])) {
        s.p++;
        s.n--;
    }
    return s;
}

/* May one of eight octets be none of 0x20 to 0x7E? false: certainly not. */
static bool may_be_odd(const char *p)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t octets;
    memcpy(&octets, p, sizeof octets);
    return ((octets | (octets - each * 0x20) | (octets + each)) & each * 0x80) != 0;
}

bool span_is_printable_ascii(struct span s)
{
    size_t i = 0;
    while (i + 8 <= s.n && !may_be_odd(s.p + i))
        i += 8;
    for (; i < s.n; i++)
        if (s.p[i] < 0x20 || s.p[i] > 0x7E)
            return false;
    return true;
}
