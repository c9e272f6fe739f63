/*
 * token - named tokens: digests of configured texts, for URLs (SU-24, SU-25, RULINGS 48)
 *
 * Built with the configuration, then only read.
 */
#ifndef MLMILTER_SPEC_TOKEN_H
#define MLMILTER_SPEC_TOKEN_H

#include "spec/digest.h"
#include "spec/uri_template.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

#define ENCODING_CHOICE(ROW)                                                                       \
    ROW(TOKEN_BASE32, "base32") ROW(TOKEN_BASE64URL, "base64url") ROW(TOKEN_HEX, "hex")
#define ENCODING_VALUE(value, word) value,
enum token_encoding { ENCODING_CHOICE(ENCODING_VALUE) };

/* The variables that `of` may contain. */
#define VARS_TOKEN_OF                                                                              \
    (VARS_LIST | VARS_FIELDS | VAR_BIT(VAR_MESSAGE_ID) | VAR_BIT(VAR_MESSAGE_ID_HASH) |            \
     VAR_BIT(VAR_LIST_ID_HASH) | VAR_BIT(VAR_LF))

struct token {
    struct span name;
    struct template of; /* compiled with VARS_TOKEN_OF; TEMPLATE_TEXT */
    const char *digest; /* its name */
    size_t octets;      /* of the digest; 0: libcrypto has none of that name */
    enum token_encoding encoding;
    bool padding; /* "=" at the end of Base 32 and base64url */
};

/* Makes the token of a message in the arena, from the values of the list and the message. Returns
 * 0, or 1 if a variable of `of` has no value. */
int token_value(const struct token *t, const struct variable_values *values, struct arena *arena,
                struct span *value);

/* Returns a value of the token's length, to try a template with. It lives in the arena. */
struct span token_sample(const struct token *t, struct arena *arena);

#endif
