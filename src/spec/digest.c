/* digest - see digest.h. The one user of libcrypto's digests and MACs. Each call fetches its
 * digest, which costs a quarter of a microsecond. */
#include "spec/digest.h"

#include "text/memory.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdbool.h>

size_t digest_compute(const char *name, const struct span *parts, size_t count, unsigned char *out)
{
    ERR_set_mark();
    EVP_MD *md = EVP_MD_fetch(NULL, name, NULL);
    ERR_pop_to_mark(); /* an unknown name leaves no error in the queue */
    int size = md != NULL ? EVP_MD_get_size(md) : 0;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool done = size > 0 && context != NULL && EVP_DigestInit_ex2(context, md, NULL) == 1;
    for (size_t i = 0; done && i < count; i++)
        done = parts[i].n == 0 || EVP_DigestUpdate(context, parts[i].p, parts[i].n) == 1;
    if (size > 0 && (!done || EVP_DigestFinal_ex(context, out, NULL) != 1))
        memory_exhausted(); /* nothing else makes it fail */
    EVP_MD_CTX_free(context);
    EVP_MD_free(md);
    return size > 0 ? (size_t)size : 0;
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

void digest_hmac_sha256(struct span key, struct span text, unsigned char out[SHA256_OCTETS])
{
    if (EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, key.p, key.n, (const unsigned char *)text.p,
                  text.n, out, SHA256_OCTETS, NULL) == NULL)
        memory_exhausted(); /* nothing else makes it fail */
}
