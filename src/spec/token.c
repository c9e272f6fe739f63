/* token - see token.h */
#include "spec/token.h"

#include "spec/base_n.h"
#include "text/strbuf.h"

#include <string.h>

/* Returns the bytes of a digest in the token's encoding. */
static struct span encode(const struct token *t, const unsigned char *octets, size_t n,
                          struct arena *arena)
{
    static const struct {
        void (*encode)(const unsigned char *octets, size_t n, char *out);
        size_t group; /* padding fills the last group of so many characters */
    } encodings[] = {[TOKEN_BASE32] = {base32_encode, 8},
                     [TOKEN_BASE64URL] = {base64url_encode, 4},
                     [TOKEN_HEX] = {base16_encode, 1}};
    char *out = arena_alloc(arena, BASE16_LENGTH(n) + sizeof "=======");
    encodings[t->encoding].encode(octets, n, out);
    size_t length = strlen(out);
    while (t->padding && length % encodings[t->encoding].group > 0)
        out[length++] = '=';
    return span_of(out, length);
}

int token_value(const struct token *t, const struct variable_values *values, struct arena *arena,
                struct span *value)
{
    unsigned char octets[DIGEST_MAX_OCTETS];
    struct strbuf text = STRBUF_INIT;
    bool is_complete = template_expand(&t->of, values, &text) == VAR_COUNT;
    struct span part = strbuf_span(&text);
    if (is_complete)
        *value = encode(t, octets, digest_compute(t->digest, &part, 1, octets), arena);
    strbuf_free(&text);
    return is_complete ? 0 : 1;
}

struct span token_sample(const struct token *t, struct arena *arena)
{
    static const unsigned char zeros[DIGEST_MAX_OCTETS];
    return encode(t, zeros, t->octets > 0 ? t->octets : 1, arena); /* 0: the token is wrong */
}
