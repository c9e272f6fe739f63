/*
 * digest - digests of libcrypto
 *
 * A digest is fetched once (the first fetch of a process costs about a
 * millisecond, each later one a quarter of a microsecond) and then only read, so
 * one object serves any number of threads.
 */
#ifndef MLMILTER_SPEC_DIGEST_H
#define MLMILTER_SPEC_DIGEST_H

#include "text/span.h"

#include <stddef.h>

#define DIGEST_MAX_OCTETS 64

struct digest;

/* The digest of that name ("sha1"); NULL when libcrypto has none, or out of memory. */
struct digest *digest_new(const char *name);
void digest_free(struct digest *d);

/* Octets of a result, at most DIGEST_MAX_OCTETS. */
size_t digest_size(const struct digest *d);

/* The digest of the parts, one after the other; out has room for digest_size(d) octets. 0 or -1. */
int digest_compute(const struct digest *d, const struct span *parts, size_t count,
                   unsigned char *out);

#endif
