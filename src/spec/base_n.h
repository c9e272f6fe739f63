/*
 * base_n - Base 32, base64url and Base 16 (RFC 4648 sections 6, 5 and 8)
 */
#ifndef MLMILTER_SPEC_BASE_N_H
#define MLMILTER_SPEC_BASE_N_H

#include <stdbool.h>
#include <stddef.h>

/* The number of characters of n bytes, without padding. */
#define BASE32_LENGTH(n) (((n)*8 + 4) / 5)
#define BASE64_LENGTH(n) (((n)*8 + 5) / 6)
#define BASE16_LENGTH(n) ((n)*2)

/* Writes BASE32_LENGTH(n) characters from A-Z2-7 and a NUL to out; no padding. */
void base32_encode(const unsigned char *octets, size_t n, char *out);

/* Writes BASE64_LENGTH(n) characters from A-Za-z0-9-_ and a NUL to out; no padding. */
void base64url_encode(const unsigned char *octets, size_t n, char *out);

/* Writes BASE16_LENGTH(n) characters from 0-9a-f and a NUL to out. */
void base16_encode(const unsigned char *octets, size_t n, char *out);

#endif
