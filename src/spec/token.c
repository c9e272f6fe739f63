/* token - see token.h */
#include "spec/token.h"

#include "spec/base_n.h"
#include "text/ascii.h"
#include "text/strbuf.h"

#include <string.h>

/* The longest form of a digest is hexadecimal. */
#define ENCODED_MAX BASE16_LENGTH(DIGEST_MAX_OCTETS)

_Static_assert(BASE32_PADDED_LENGTH(DIGEST_MAX_OCTETS) <= ENCODED_MAX, "hex is longest");
_Static_assert(BASE64_PADDED_LENGTH(DIGEST_MAX_OCTETS) <= ENCODED_MAX, "hex is longest");

static void set_case(enum token_case letter_case, char *text)
{
    for (char *p = text; *p != '\0'; p++) {
        if (letter_case == TOKEN_CASE_LOWER)
            *p = ascii_lower(*p);
        else if (letter_case == TOKEN_CASE_UPPER)
            *p = ascii_upper(*p);
    }
}

/* The number of characters that the octets take in this encoding. */
static size_t encoded_length(enum token_encoding encoding, size_t octets, bool padding)
{
    switch (encoding) {
    case TOKEN_BASE32:
        return padding ? BASE32_PADDED_LENGTH(octets) : BASE32_LENGTH(octets);
    case TOKEN_BASE64URL:
        return padding ? BASE64_PADDED_LENGTH(octets) : BASE64_LENGTH(octets);
    case TOKEN_HEX:
    default:
        return BASE16_LENGTH(octets);
    }
}

/* Writes at most ENCODED_MAX characters and a NUL. */
static void encode(const struct token *t, const unsigned char *octets, size_t n, char *out)
{
    size_t length = encoded_length(t->encoding, n, false);
    size_t padded = encoded_length(t->encoding, n, t->padding);
    switch (t->encoding) {
    case TOKEN_BASE32:
        base32_encode(octets, n, out);
        break;
    case TOKEN_BASE64URL:
        base64url_encode(octets, n, out);
        break;
    case TOKEN_HEX:
        base16_encode(octets, n, out);
        break;
    }
    memset(out + length, '=', padded - length);
    out[padded] = '\0';
    /* Letter case is part of base64url's alphabet. */
    if (t->encoding != TOKEN_BASE64URL)
        set_case(t->letter_case, out);
}

int token_value(const struct token *t, const struct variable_values *values, struct arena *arena,
                struct span *value)
{
    unsigned char octets[DIGEST_MAX_OCTETS];
    char encoded[ENCODED_MAX + 1];
    struct strbuf text = STRBUF_INIT;
    int result;
    if (t->keyed && t->key.n == 0)
        return 1;
    result = template_expand(&t->of, TEMPLATE_TEXT, values, &text, NULL);
    if (result == 0) {
        struct span part = strbuf_span(&text);
        size_t n = t->keyed ? digest_hmac(t->digest, t->key, part, octets)
                            : digest_compute(t->digest, &part, 1, octets);
        encode(t, octets, n, encoded);
        strbuf_reset(&text);
        strbuf_add_span(&text, t->prefix);
        strbuf_add_str(&text, encoded);
        *value = arena_dup(arena, strbuf_span(&text));
    }
    strbuf_free(&text);
    return result;
}

struct span token_sample(const struct token *token, struct arena *arena)
{
    size_t octets = token->octets > 0 ? token->octets : 1; /* of a token that is wrong */
    struct strbuf text = STRBUF_INIT;
    size_t digits = encoded_length(token->encoding, octets, false);
    size_t length = encoded_length(token->encoding, octets, token->padding);
    strbuf_add_span(&text, token->prefix);
    for (size_t i = 0; i < length; i++)
        strbuf_add_char(&text, i < digits ? 'A' : '=');
    const char *kept = strbuf_keep(&text, arena);
    return span_of(kept, token->prefix.n + length);
}
