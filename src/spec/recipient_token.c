/* recipient_token - see recipient_token.h */
#include "spec/recipient_token.h"

#include "spec/base_n.h"
#include "spec/digest.h"
#include "text/ascii.h"
#include "text/strbuf.h"

#include <openssl/crypto.h>

_Static_assert(BASE64_LENGTH(SHA256_OCTETS) == RECIPIENT_TOKEN_LENGTH, "SHA-256 in base64url");

void recipient_token_make(struct span key, struct span list_id, struct span address,
                          char token[RECIPIENT_TOKEN_LENGTH + 1])
{
    unsigned char octets[SHA256_OCTETS];
    struct strbuf text = STRBUF_INIT;
    strbuf_add_span(&text, list_id);
    strbuf_add_char(&text, '\n');
    strbuf_add_span(&text, address);
    for (size_t i = 0; i < text.len; i++)
        text.data[i] = ascii_lower(text.data[i]);
    digest_hmac_sha256(key, strbuf_span(&text), octets);
    base64url_encode(octets, SHA256_OCTETS, token);
    strbuf_free(&text);
}

bool recipient_token_verify(const struct span *keys, size_t key_count, struct span list_id,
                            struct span address, struct span token)
{
    bool valid = false;
    for (size_t i = 0; i < key_count && token.n == RECIPIENT_TOKEN_LENGTH; i++) {
        char right[RECIPIENT_TOKEN_LENGTH + 1];
        recipient_token_make(keys[i], list_id, address, right);
        valid |= CRYPTO_memcmp(right, token.p, RECIPIENT_TOKEN_LENGTH) == 0;
    }
    return valid;
}
