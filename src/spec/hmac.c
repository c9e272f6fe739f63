/* hmac - see hmac.h. The one user of libcrypto's MACs.
 *
 * Each call makes a context of its own.  One context kept ready and copied with EVP_MAC_CTX_dup
 * would not do: that a context can be copied before it has a key, and by several threads at once,
 * is promised nowhere. */
#include "spec/hmac.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_OCTETS 63

struct hmac {
    EVP_MAC *mac;
    size_t size;
    char digest_name[NAME_MAX_OCTETS + 1];
};

struct hmac *hmac_new(const char *digest_name)
{
    const struct span some_key = {"k", 1};
    unsigned char out[DIGEST_MAX_OCTETS];
    struct hmac *h = calloc(1, sizeof *h);
    struct digest *digest = digest_new(digest_name); /* knows the sizes that will do */
    bool works = false;
    if (h != NULL && digest != NULL && strlen(digest_name) <= NAME_MAX_OCTETS) {
        memcpy(h->digest_name, digest_name, strlen(digest_name));
        h->size = digest_size(digest);
        /* A digest that HMAC cannot use is an answer, not an error to be left in the queue. */
        ERR_set_mark();
        h->mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
        works = h->mac != NULL && hmac_compute(h, some_key, NULL, 0, out) == 0;
        ERR_pop_to_mark();
    }
    digest_free(digest);
    if (works)
        return h;
    hmac_free(h);
    return NULL;
}

void hmac_free(struct hmac *h)
{
    if (h == NULL)
        return;
    EVP_MAC_free(h->mac);
    free(h);
}

size_t hmac_size(const struct hmac *h)
{
    return h->size;
}

int hmac_compute(const struct hmac *h, struct span key, const struct span *parts, size_t count,
                 unsigned char *out)
{
    char name[NAME_MAX_OCTETS + 1]; /* libcrypto's parameters are not const */
    EVP_MAC_CTX *context = NULL;
    size_t written = 0;
    int result = -1;
    memcpy(name, h->digest_name, sizeof name);
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
        OSSL_PARAM_construct_end(),
    };
    if (key.n > 0)
        context = EVP_MAC_CTX_new(h->mac);
    if (context == NULL ||
        EVP_MAC_init(context, (const unsigned char *)key.p, key.n, parameters) != 1)
        goto out;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].n > 0 &&
            EVP_MAC_update(context, (const unsigned char *)parts[i].p, parts[i].n) != 1)
            goto out;
    }
    if (EVP_MAC_final(context, out, &written, DIGEST_MAX_OCTETS) == 1 && written == h->size)
        result = 0;
out:
    EVP_MAC_CTX_free(context);
    return result;
}
