/* digest - see digest.h. The one user of libcrypto's digests and MACs. Each call fetches its
 * digest, which costs a quarter of a microsecond. */
#include "spec/digest.h"

#include "text/memory.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdbool.h>

/* Returns the digest, or NULL; a name that libcrypto does not have leaves no error in its queue. */
static EVP_MD *fetch(const char *name)
{
    ERR_set_mark();
    EVP_MD *md = EVP_MD_fetch(NULL, name, NULL);
    ERR_pop_to_mark();
    if (md == NULL || (EVP_MD_get_size(md) > 0 && EVP_MD_get_size(md) <= DIGEST_MAX_OCTETS))
        return md;
    EVP_MD_free(md);
    return NULL;
}

size_t digest_compute(const char *name, const struct span *parts, size_t count, unsigned char *out)
{
    EVP_MD *md = fetch(name);
    if (md == NULL)
        return 0;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool done = context != NULL && EVP_DigestInit_ex2(context, md, NULL) == 1;
    for (size_t i = 0; done && i < count; i++)
        done = parts[i].n == 0 || EVP_DigestUpdate(context, parts[i].p, parts[i].n) == 1;
    if (!done || EVP_DigestFinal_ex(context, out, NULL) != 1)
        memory_exhausted(); /* nothing else makes it fail */
    EVP_MD_CTX_free(context);
    size_t size = (size_t)EVP_MD_get_size(md);
    EVP_MD_free(md);
    return size;
}

void digest_sha1(const struct span *parts, size_t count, unsigned char out[SHA1_OCTETS])
{
    if (digest_compute("SHA1", parts, count, out) != SHA1_OCTETS)
        memory_exhausted();
}

void digest_sha256(const struct span *parts, size_t count, unsigned char out[SHA256_OCTETS])
{
    if (digest_compute("SHA256", parts, count, out) != SHA256_OCTETS)
        memory_exhausted();
}

size_t digest_hmac(const char *name, struct span key, struct span text, unsigned char *out)
{
    size_t size = 0;
    ERR_set_mark();
    if (EVP_Q_mac(NULL, "HMAC", NULL, name, NULL, key.p, key.n, (const unsigned char *)text.p,
                  text.n, out, DIGEST_MAX_OCTETS, &size) == NULL)
        size = 0;
    ERR_pop_to_mark();
    return size;
}
