/*
 * hmac - keyed digests of libcrypto (RFC 2104)
 *
 * Made once, then only read: one object serves any number of threads.
 */
#ifndef MLMILTER_SPEC_HMAC_H
#define MLMILTER_SPEC_HMAC_H

#include "spec/digest.h"
#include "text/span.h"

#include <stddef.h>

struct hmac;

/* HMAC with the digest of that name ("sha256"); NULL when libcrypto has none, or out of memory. */
struct hmac *hmac_new(const char *digest_name);
void hmac_free(struct hmac *h);

/* Octets of a result, at most DIGEST_MAX_OCTETS. */
size_t hmac_size(const struct hmac *h);

/* The HMAC of the parts, one after the other; out has room for DIGEST_MAX_OCTETS. 0; -1: the key is
 * empty, memory or libcrypto. */
int hmac_compute(const struct hmac *h, struct span key, const struct span *parts, size_t count,
                 unsigned char *out);

#endif
