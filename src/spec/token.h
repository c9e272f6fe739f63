/*
 * token - named tokens: digests of one's own choice for URLs (SU-24, SU-25, RULINGS 48)
 *
 * A token is the digest, or with a key the HMAC, of a text that is put together
 * from variables, in one of three encodings.  Built with the configuration, then
 * only read.
 */
#ifndef MLMILTER_SPEC_TOKEN_H
#define MLMILTER_SPEC_TOKEN_H

#include "spec/digest.h"
#include "spec/uri_template.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

enum token_encoding { TOKEN_BASE32, TOKEN_BASE64URL, TOKEN_HEX };
enum token_case { TOKEN_CASE_USUAL, TOKEN_CASE_UPPER, TOKEN_CASE_LOWER };

/* What `of` may use. */
#define VARS_TOKEN_OF                                                                              \
    (VARS_LIST | VARS_FIELDS | VAR_BIT(VAR_MESSAGE_ID) | VAR_BIT(VAR_MESSAGE_ID_HASH) |            \
     VAR_BIT(VAR_LIST_ID_HASH) | VAR_BIT(VAR_LF))

struct token {
    struct span name;
    struct template of;    /* compiled with VARS_TOKEN_OF; TEMPLATE_TEXT */
    const char *digest;    /* its name */
    size_t octets;         /* of the digest; 0: libcrypto has none of that name */
    bool keyed;            /* the token is an HMAC */
    struct span key;       /* empty: the key file could not be read; there is no value */
    const char *key_fault; /* then "PATH: reason"; NULL: nobody tried */
    enum token_encoding encoding;
    enum token_case
        letter_case;    /* TOKEN_CASE_USUAL: Base 32 upper, hex lower, base64url as it is */
    bool padding;       /* "=" at the end of Base 32 and base64url */
    struct span prefix; /* literal text in front, such as "sha256-" (SU-24) */
};

/* The token of a message: values holds what `of` needs, as far as the list and the message have it;
 * *value lives in the arena. 0; 1: a value or the key is missing. */
int token_value(const struct token *t, const struct variable_values *values, struct arena *arena,
                struct span *value);

/* A text as long as the token's values are. */
struct span token_sample(const struct token *token, struct arena *arena);

#endif
