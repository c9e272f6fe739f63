/*
 * ascii - what an octet is, without regard to any locale
 *
 * The functions of <ctype.h> depend on the locale and are undefined for negative
 * values; these are neither.  char may be signed: every test is a range of positive values.  Pure;
 * any thread.  What parsers ask of nearly every octet is inline.
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

bool ascii_is_hex(char c);

/* SP or TAB: RFC 5234 WSP. */
bool ascii_is_blank(char c);

/* 0x00 to 0x1F, and 0x7F. */
bool ascii_is_control(char c);

/* A-Z become a-z (or the other way round); every other octet is given back as it is. */
static inline char ascii_lower(char c)
{
    return (c >= 'A' && c <= 'Z') ? (char)(c - 'A' + 'a') : c;
}

char ascii_upper(char c);

#endif
