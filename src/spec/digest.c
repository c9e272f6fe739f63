/* digest - see digest.h. The one user of libcrypto's digests and MACs. */
#include "spec/digest.h"

#include "text/memory.h"
#include "text/strbuf.h"

#include <openssl/err.h>
#include <openssl/evp.h>

/* Ends the program: without a digest no post can be answered. */
static _Noreturn void fail(void)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    if (reason == NULL || ERR_GET_REASON(ERR_peek_last_error()) == ERR_R_MALLOC_FAILURE)
        memory_exhausted();
    library_failed("libcrypto", reason);
}

static size_t compute(const char *name, const struct span *parts, size_t count, unsigned char *out)
{
    struct strbuf text = STRBUF_INIT;
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        strbuf_add_span(&text, parts[i]);
    if (EVP_Q_digest(NULL, name, NULL, strbuf_str(&text), text.len, out, &size) != 1)
        size = 0;
    strbuf_free(&text);
    return size;
}

size_t digest_compute(const char *name, const struct span *parts, size_t count, unsigned char *out)
{
    size_t size;
    ERR_set_mark();
    size = compute(name, parts, count, out);
    ERR_pop_to_mark(); /* an unknown name leaves no error in the queue */
    return size;
}

void digest_sha1(const struct span *parts, size_t count, unsigned char out[SHA1_OCTETS])
{
    if (compute("SHA1", parts, count, out) != SHA1_OCTETS)
        fail();
}

void digest_sha256(const struct span *parts, size_t count, unsigned char out[SHA256_OCTETS])
{
    if (compute("SHA256", parts, count, out) != SHA256_OCTETS)
        fail();
}

void digest_hmac_sha256(struct span key, struct span text, unsigned char out[SHA256_OCTETS])
{
    if (EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, key.p, key.n, (const unsigned char *)text.p,
                  text.n, out, SHA256_OCTETS, NULL) == NULL)
        fail();
}
