/* fingerprint - see fingerprint.h. Short, since all that it adds to a digest is the order. */
#include "config/files/fingerprint.h"

#include <string.h>

void fingerprint_init(struct fingerprint *f, const struct digest *digest)
{
    memset(f, 0, sizeof *f);
    f->digest = digest;
}

void fingerprint_add(struct fingerprint *f, const char *name, struct span text)
{
    const struct span parts[] = {span_of((const char *)f->octets, digest_size(f->digest)),
                                 span_of(name, strlen(name) + 1), text};
    unsigned char next[DIGEST_MAX_OCTETS];
    if (digest_compute(f->digest, parts, sizeof parts / sizeof parts[0], next) != 0)
        f->failed = true;
    else
        memcpy(f->octets, next, digest_size(f->digest));
}

bool fingerprint_eq(const struct fingerprint *a, const struct fingerprint *b)
{
    return !a->failed && !b->failed && digest_size(a->digest) == digest_size(b->digest) &&
           memcmp(a->octets, b->octets, digest_size(a->digest)) == 0;
}
