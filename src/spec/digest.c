/* digest - see digest.h. The one user of libcrypto's digests and MACs. */
#include "spec/digest.h"

#include "text/memory.h"
#include "text/strbuf.h"

#include <openssl/err.h>
#include <openssl/evp.h>

size_t digest_compute(const char *name, const struct span *parts, size_t count, unsigned char *out)
{
    struct strbuf text = STRBUF_INIT;
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        strbuf_add_span(&text, parts[i]);
    ERR_set_mark();
    if (EVP_Q_digest(NULL, name, NULL, strbuf_str(&text), text.len, out, &size) != 1)
        size = 0;
    ERR_pop_to_mark(); /* an unknown name leaves no error in the queue */
    strbuf_free(&text);
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

void digest_hmac_sha256(struct span key, struct span text, unsigned char out[SHA256_OCTETS])
{
    if (EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, key.p, key.n, (const unsigned char *)text.p,
                  text.n, out, SHA256_OCTETS, NULL) == NULL)
        memory_exhausted(); /* nothing else makes it fail */
}
