/* utf8 - see utf8.h */
#include "text/utf8.h"

/*
 *   UTF8-1 = %x00-7F                                              RFC 3629 4
 *   UTF8-2 = %xC2-DF UTF8-tail
 *   UTF8-3 = %xE0 %xA0-BF UTF8-tail / %xE1-EC 2( UTF8-tail ) /
 *            %xED %x80-9F UTF8-tail / %xEE-EF 2( UTF8-tail )
 *   UTF8-4 = %xF0 %x90-BF 2( UTF8-tail ) / %xF1-F3 3( UTF8-tail ) /
 *            %xF4 %x80-8F 2( UTF8-tail )
 */
size_t utf8_length(struct span s)
{
    if (s.n == 0)
        return 0;
    const unsigned char *u = (const unsigned char *)s.p;
    unsigned char first = u[0];
    size_t n = first < 0x80                    ? 1
               : first >= 0xC2 && first < 0xE0 ? 2
               : first >= 0xE0 && first < 0xF0 ? 3
               : first >= 0xF0 && first < 0xF5 ? 4
                                               : 0;
    if (n == 0 || n > s.n)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((u[i] & 0xC0) != 0x80)
            return 0;
    if ((first == 0xE0 && u[1] < 0xA0) || (first == 0xF0 && u[1] < 0x90))
        return 0; /* overlong */
    if (first == 0xED && u[1] > 0x9F)
        return 0; /* surrogate */
    if (first == 0xF4 && u[1] > 0x8F)
        return 0; /* over U+10FFFF */
    return n;
}

bool utf8_is_valid(struct span s)
{
    while (s.n > 0) {
        size_t n = utf8_length(s);
        if (n == 0)
            return false;
        s = span_sub(s, n, s.n);
    }
    return true;
}
