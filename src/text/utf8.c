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
    const unsigned char *u = (const unsigned char *)s.p;
    unsigned char first = s.n > 0 ? u[0] : 0xFF, least = 0x80, most = 0xBF;
    size_t n = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (n == 0 || first > 0xF4 || n > s.n)
        return 0;
    if (first == 0xE0 || first == 0xF0) /* overlong below */
        least = first == 0xE0 ? 0xA0 : 0x90;
    if (first == 0xED || first == 0xF4) /* surrogates, or characters over U+10FFFF, above */
        most = first == 0xED ? 0x9F : 0x8F;
    for (size_t i = 1; i < n; i++)
        if (u[i] < (i == 1 ? least : 0x80) || u[i] > (i == 1 ? most : 0xBF))
            return 0;
    return n;
}

bool utf8_is_valid(struct span s)
{
    for (size_t n = 1; s.n > 0 && n > 0; s = span_sub(s, n, s.n))
        n = utf8_length(s);
    return s.n == 0;
}
