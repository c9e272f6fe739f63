/*
 * variables - the variables of templates (RULINGS 45, 47, 48)
 */
#ifndef MLMILTER_SPEC_VARIABLES_H
#define MLMILTER_SPEC_VARIABLES_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest number that a post may have (VAR_SEQUENCE): 15 digits, which even a reader of
 * X-List-Sequence that uses a double keeps exactly. */
#define POST_NUMBER_MAX 999999999999999

/* clang-format off */
/* Columns: variable; its name between braces; a value of usual length, as the field with a URI must fit into a
 * line; true: a number, decimal digits without leading zeros, which a width pads with zeros. A width cuts all
 * other values (RULINGS 45). */
#define VARIABLES(ROW) \
    /* of the list */ \
    ROW(VAR_LIST_ID, "list_id", "1", false) \
    ROW(VAR_LIST_LABEL, "list_label", "1", false) \
    ROW(VAR_LIST_NAMESPACE, "list_namespace", "1", false) \
    ROW(VAR_ADDRESS, "address", "1", false) \
    ROW(VAR_ADDRESS_LOCAL, "address_local", "1", false) \
    ROW(VAR_ADDRESS_DOMAIN, "address_domain", "1", false) \
    ROW(VAR_ARCHIVE, "archive", "https://example.org/", false) \
    /* of the message */ \
    ROW(VAR_MESSAGE_ID, "message_id", "a@b.example", false) \
    ROW(VAR_MESSAGE_ID_HASH, "message_id_hash", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", false) \
    ROW(VAR_LIST_ID_HASH, "list_id_hash", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", false) \
    /* parts of its Date: VARS_DATE */ \
    ROW(VAR_YEAR, "year", "1", true) \
    ROW(VAR_MONTH, "month", "1", true) \
    ROW(VAR_DAY, "day", "1", true) \
    ROW(VAR_MONTH_NAME, "month_name", "September", false) \
    ROW(VAR_MONTH_ABBR, "month_abbr", "Sep", false) \
    ROW(VAR_SEQUENCE, "sequence", NUMBER_TEXT(POST_NUMBER_MAX), true) \
    /* whole fields of the message: only in `of` of a token (RULINGS 48) */ \
    ROW(VAR_DATE, "date", "1", false) \
    ROW(VAR_FROM, "from", "1", false) \
    ROW(VAR_TO, "to", "1", false) \
    ROW(VAR_SUBJECT, "subject", "1", false) \
    /* of the transaction */ \
    ROW(VAR_RECIPIENT, "recipient", "user@b.example", false) \
    ROW(VAR_RECIPIENT_TOKEN, "recipient_token", "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQ", false) \
    /* one LF, which no value contains: a separator in `of` of a token (RULINGS 48) */ \
    ROW(VAR_LF, "lf", "1", false)
/* clang-format on */

#define VARIABLE_ENUM(v, ...) v,

enum variable {
    VARIABLES(VARIABLE_ENUM)
    /* the named tokens of the configuration, in its order */
    VAR_FIRST_TOKEN,
    VAR_COUNT = VAR_FIRST_TOKEN + 32
};

#define TOKENS_MAX (VAR_COUNT - VAR_FIRST_TOKEN)

/* Sets of variables, one bit each. */
#define VAR_BIT(v)     (UINT64_C(1) << (v))
#define VARS_LIST      (VAR_BIT(VAR_ARCHIVE) - 1)
#define VARS_MESSAGE   (VAR_BIT(VAR_DATE) - VAR_BIT(VAR_MESSAGE_ID))
#define VARS_DATE      (VAR_BIT(VAR_SEQUENCE) - VAR_BIT(VAR_YEAR))
#define VARS_FIELDS    (VAR_BIT(VAR_RECIPIENT) - VAR_BIT(VAR_DATE))
#define VARS_RECIPIENT (VAR_BIT(VAR_RECIPIENT) | VAR_BIT(VAR_RECIPIENT_TOKEN))
#define VARS_TOKENS    (VAR_BIT(VAR_COUNT) - VAR_BIT(VAR_FIRST_TOKEN))

/* The names of the tokens that a text may use: token i is variable VAR_FIRST_TOKEN + i. */
struct token_names {
    const struct span *names;
    size_t count; /* at most TOKENS_MAX */
};

/* The known values; a bit of `set` for each. */
struct variable_values {
    uint64_t set;
    struct span text[VAR_COUNT];
    struct span ascii_domain; /* {address_domain} with A-labels, for host names (RULINGS 67) */
};

/* Returns the name of a variable, or "a token". Static storage. */
const char *variable_name(enum variable v);

/* Returns the name of a variable or token as it is between braces. It is empty for a token that
 * does not exist. tokens may be NULL, here and below. */
struct span variable_text(enum variable v, const struct token_names *tokens);

/* Returns the variable or token of that name, or VAR_COUNT. */
enum variable variable_find(struct span name, const struct token_names *tokens);

/* True if a variable has the name, so that no token may have it (RULINGS 48). */
bool variable_is_name(struct span name);

/* Appends "did you mean {x}?" if a name of the set `allowed`, tokens included, is near to this one,
 * else "expected {a}, {b} or {c}" with all of them. */
void variable_add_meant(struct strbuf *out, struct span name, uint64_t allowed,
                        const struct token_names *tokens);

/* Returns a value of usual length; of a token one character. Static storage. */
const char *variable_sample(enum variable v);

/* True if the value is a number. */
bool variable_is_number(enum variable v);

#endif
