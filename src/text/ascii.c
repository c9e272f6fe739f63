/* ascii - see ascii.h. char may be signed: every test here is a range of positive values. */
#include "text/ascii.h"

bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool ascii_is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

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

char ascii_lower(char c)
{
    return (c >= 'A' && c <= 'Z') ? (char)(c - 'A' + 'a') : c;
}

char ascii_upper(char c)
{
    return (c >= 'a' && c <= 'z') ? (char)(c - 'a' + 'A') : c;
}
