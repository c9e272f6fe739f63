/*
 * digest - digests of libcrypto, with a key or without
 *
 * Pure; any thread.
 */
#ifndef MLMILTER_SPEC_DIGEST_H
#define MLMILTER_SPEC_DIGEST_H

#include "text/span.h"

#include <stddef.h>

#define DIGEST_MAX_OCTETS 64
#define SHA1_OCTETS       20
#define SHA256_OCTETS     32

/* Writes the digest of that name ("sha1") of the parts, one after the other, at most
 * DIGEST_MAX_OCTETS. Returns their number, or 0 if libcrypto has no such digest. */
size_t digest_compute(const char *name, const struct span *parts, size_t count, unsigned char *out);

/* Writes the SHA-1 or SHA-256 of the parts, one after the other. */
void digest_sha1(const struct span *parts, size_t count, unsigned char out[SHA1_OCTETS]);
void digest_sha256(const struct span *parts, size_t count, unsigned char out[SHA256_OCTETS]);

/* Writes the HMAC-SHA-256 (RFC 2104) of text with a key that is not empty. */
void digest_hmac_sha256(struct span key, struct span text, unsigned char out[SHA256_OCTETS]);

#endif
