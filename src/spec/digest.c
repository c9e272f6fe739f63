/* digest - see digest.h. The one user of libcrypto's digests. */
#include "spec/digest.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdlib.h>

struct digest {
    EVP_MD *md;
    size_t size;
};

struct digest *digest_new(const char *name)
{
    struct digest *d = malloc(sizeof(*d));
    if (d == NULL)
        return NULL;
    /* A name that libcrypto does not have is an answer, not an error to be left in its queue. */
    ERR_set_mark();
    d->md = EVP_MD_fetch(NULL, name, NULL);
    ERR_pop_to_mark();
    int size = d->md == NULL ? 0 : EVP_MD_get_size(d->md);
    if (size <= 0 || size > DIGEST_MAX_OCTETS) {
        EVP_MD_free(d->md);
        free(d);
        return NULL;
    }
    d->size = (size_t)size;
    return d;
}

void digest_free(struct digest *d)
{
    if (d == NULL)
        return;
    EVP_MD_free(d->md);
    free(d);
}

size_t digest_size(const struct digest *d)
{
    return d->size;
}

int digest_compute(const struct digest *d, const struct span *parts, size_t count,
                   unsigned char *out)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int result = -1;
    if (context == NULL)
        return -1;
    if (EVP_DigestInit_ex2(context, d->md, NULL) != 1)
        goto out;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].n > 0 && EVP_DigestUpdate(context, parts[i].p, parts[i].n) != 1)
            goto out;
    }
    if (EVP_DigestFinal_ex(context, out, NULL) == 1)
        result = 0;
out:
    EVP_MD_CTX_free(context);
    return result;
}
