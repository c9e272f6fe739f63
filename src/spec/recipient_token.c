/* recipient_token - see recipient_token.h */
#include "spec/recipient_token.h"

#include "spec/base_n.h"
#include "text/ascii.h"

#include <openssl/crypto.h>

#define SHA256_OCTETS 32

_Static_assert(BASE64_LENGTH(SHA256_OCTETS) == RECIPIENT_TOKEN_LENGTH, "SHA-256 in base64url");

static struct span lower(struct span text, struct arena *arena)
{
    char *copy = arena_alloc(arena, text.n);
    if (copy == NULL)
        return span_of(NULL, 0);
    for (size_t i = 0; i < text.n; i++)
        copy[i] = ascii_lower(text.p[i]);
    return span_of(copy, text.n);
}

int recipient_token_make(const struct hmac *sha256, struct span key, struct span list_id,
                         struct span address, struct arena *arena,
                         char token[RECIPIENT_TOKEN_LENGTH + 1])
{
    struct span parts[] = {lower(list_id, arena), span_of("\n", 1), lower(address, arena)};
    unsigned char octets[DIGEST_MAX_OCTETS];
    if (hmac_size(sha256) != SHA256_OCTETS || parts[0].p == NULL || parts[2].p == NULL ||
        hmac_compute(sha256, key, parts, 3, octets) != 0)
        return -1;
    base64url_encode(octets, SHA256_OCTETS, token);
    return 0;
}

int recipient_token_verify(const struct hmac *sha256, const struct span *keys, size_t key_count,
                           struct span list_id, struct span address, struct span token,
                           struct arena *arena, bool *valid)
{
    *valid = false;
    if (token.n != RECIPIENT_TOKEN_LENGTH)
        return 0;
    for (size_t i = 0; i < key_count; i++) {
        char right[RECIPIENT_TOKEN_LENGTH + 1];
        if (recipient_token_make(sha256, keys[i], list_id, address, arena, right) != 0)
            return -1;
        if (CRYPTO_memcmp(right, token.p, RECIPIENT_TOKEN_LENGTH) == 0)
            *valid = true;
    }
    return 0;
}
