/* fingerprint - see fingerprint.h. Short, since all that it adds to a digest is the order. */
#include "config/files/fingerprint.h"

#include "spec/base_n.h"

#include <string.h>

void fingerprint_init(struct fingerprint *f)
{
    memset(f, 0, sizeof *f);
}

void fingerprint_add(struct fingerprint *f, const char *name, struct span text)
{
    const struct span parts[] = {span_of((const char *)f->octets, sizeof f->octets),
                                 span_of(name, strlen(name) + 1), text};
    digest_sha256(parts, sizeof parts / sizeof parts[0], f->octets);
}

bool fingerprint_eq(const struct fingerprint *a, const struct fingerprint *b)
{
    return memcmp(a->octets, b->octets, sizeof a->octets) == 0;
}

void fingerprint_format(const struct fingerprint *f, struct strbuf *out)
{
    char digits[BASE16_LENGTH(sizeof f->octets / 2) + 1];
    base16_encode(f->octets, sizeof f->octets / 2, digits);
    strbuf_add_str(out, digits);
}
