/*
 * ascii - what an octet is, without regard to any locale
 *
 * The functions of <ctype.h> depend on the locale and are undefined for negative
 * values; these are neither.  Pure; any thread.
 */
#ifndef MLMILTER_TEXT_ASCII_H
#define MLMILTER_TEXT_ASCII_H

#include <stdbool.h>

bool ascii_is_digit(char c);
bool ascii_is_alpha(char c);
bool ascii_is_hex(char c);

/* SP or TAB: RFC 5234 WSP. */
bool ascii_is_blank(char c);

/* 0x00 to 0x1F, and 0x7F. */
bool ascii_is_control(char c);

/* A-Z become a-z (or the other way round); every other octet is given back as it is. */
char ascii_lower(char c);
char ascii_upper(char c);

#endif
