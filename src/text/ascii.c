/* ascii - see ascii.h. */
#include "text/ascii.h"

bool ascii_is_hex(char c)
{
    return ascii_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool ascii_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool ascii_is_control(char c)
{
    unsigned char u = (unsigned char)c;
    return u < 0x20 || u == 0x7F;
}

char ascii_upper(char c)
{
    return (c >= 'a' && c <= 'z') ? (char)(c - 'a' + 'A') : c;
}
