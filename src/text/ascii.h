/*
 * ascii - classes of bytes, in every locale (inline only)
 *
 * The functions of <ctype.h> depend on the locale and are undefined for negative values.
 */
#ifndef MLMILTER_TEXT_ASCII_H
#define MLMILTER_TEXT_ASCII_H

#include <stdbool.h>

static inline bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool ascii_is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool ascii_is_hex(char c)
{
    return ascii_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* True for SP and TAB (RFC 5234 WSP). */
static inline bool ascii_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* True for SP, TAB, CR and LF. */
static inline bool ascii_is_space(char c)
{
    return ascii_is_blank(c) || c == '\r' || c == '\n';
}

/* True for 0x00 to 0x1F, and 0x7F. */
static inline bool ascii_is_control(char c)
{
    unsigned char u = (unsigned char)c;
    return u < 0x20 || u == 0x7F;
}

/* Return c in lower or upper case if it is a letter, else c. */
static inline char ascii_lower(char c)
{
    return (c >= 'A' && c <= 'Z') ? (char)(c - 'A' + 'a') : c;
}

static inline char ascii_upper(char c)
{
    return (c >= 'a' && c <= 'z') ? (char)(c - 'a' + 'A') : c;
}

#endif
