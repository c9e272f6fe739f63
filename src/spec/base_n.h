/*
 * base_n - Base 32, base64url and Base 16 (RFC 4648 sections 6, 5 and 8)
 */
#ifndef MLMILTER_SPEC_BASE_N_H
#define MLMILTER_SPEC_BASE_N_H

#include <stddef.h>

/* The number of characters that n bytes become. */
#define BASE32_LENGTH(n) (((n)*8 + 4) / 5)
#define BASE64_LENGTH(n) (((n)*8 + 5) / 6)
#define BASE16_LENGTH(n) ((n)*2)

/* Write n bytes as characters from A-Z2-7, from A-Za-z0-9-_ or from 0-9a-f, and a NUL. There is no
 * padding. */
void base32_encode(const unsigned char *octets, size_t n, char *out);
void base64url_encode(const unsigned char *octets, size_t n, char *out);
void base16_encode(const unsigned char *octets, size_t n, char *out);

#endif
