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

enum variable {
    /* of the list */
    VAR_LIST_ID,
    VAR_LIST_LABEL,
    VAR_LIST_NAMESPACE,
    VAR_ADDRESS,
    VAR_ADDRESS_LOCAL,
    VAR_ADDRESS_DOMAIN,
    VAR_ARCHIVE,
    /* of the message */
    VAR_MESSAGE_ID,
    VAR_MESSAGE_ID_HASH,
    VAR_LIST_ID_HASH,
    VAR_YEAR,
    VAR_MONTH,
    VAR_DAY,
    VAR_MONTH_NAME,
    VAR_MONTH_ABBR,
    VAR_SEQUENCE,
    /* whole fields of the message: only in `of` of a token (RULINGS 48) */
    VAR_DATE,
    VAR_FROM,
    VAR_TO,
    VAR_SUBJECT,
    /* of the transaction */
    VAR_RECIPIENT,
    VAR_RECIPIENT_TOKEN,
    /* one LF, which no value contains: a separator in `of` of a token (RULINGS 48) */
    VAR_LF,
    /* the named tokens of the configuration, in its order */
    VAR_FIRST_TOKEN,
    VAR_COUNT = VAR_FIRST_TOKEN + 32
};

/* The largest number that a post may have (VAR_SEQUENCE): 15 digits, which even a reader of
 * X-List-Sequence that uses a double keeps exactly. */
#define POST_NUMBER_MAX 999999999999999

#define TOKENS_MAX (VAR_COUNT - VAR_FIRST_TOKEN)

/* Sets of variables, one bit each. */
#define VAR_BIT(v)     (UINT64_C(1) << (v))
#define VARS_LIST      (VAR_BIT(VAR_ARCHIVE) - 1)
#define VARS_MESSAGE   (VAR_BIT(VAR_DATE) - VAR_BIT(VAR_MESSAGE_ID))
#define VARS_FIELDS    (VAR_BIT(VAR_RECIPIENT) - VAR_BIT(VAR_DATE))
#define VARS_RECIPIENT (VAR_BIT(VAR_RECIPIENT) | VAR_BIT(VAR_RECIPIENT_TOKEN))
#define VARS_TOKENS    (VAR_BIT(VAR_COUNT) - VAR_BIT(VAR_FIRST_TOKEN))

/* The names of the tokens that a text may use: token i is variable VAR_FIRST_TOKEN + i. */
struct token_names {
    const struct span *names;
    size_t count; /* at most TOKENS_MAX */
};

/* The known values; a bit of `set` for each. {sequence}, {year}, {month} and {day} are decimal
 * digits without leading zeros: a width pads them with zeros. A width cuts all other values
 * (RULINGS 45). */
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

/* True if the value is a number, which a width pads (RULINGS 45). */
bool variable_is_number(enum variable v);

#endif
