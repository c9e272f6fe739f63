/*
 * base_n - Base 32 (RFC 4648 section 6)
 */
#ifndef MLMILTER_SPEC_BASE_N_H
#define MLMILTER_SPEC_BASE_N_H

#include <stddef.h>

/* Characters that n octets take, without padding. */
#define BASE32_LENGTH(n) (((n)*8 + 4) / 5)

/* Writes BASE32_LENGTH(n) characters from A-Z2-7 and a NUL to out; no padding. */
void base32_encode(const unsigned char *octets, size_t n, char *out);

#endif
