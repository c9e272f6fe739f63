/*
 * message_values - the values of a message for templates (VARS_MESSAGE, VARS_TOKENS)
 */
#ifndef MLMILTER_PLAN_MESSAGE_VALUES_H
#define MLMILTER_PLAN_MESSAGE_VALUES_H

#include "config/settings.h"
#include "mail/header.h"
#include "spec/token.h"
#include "spec/uri_template.h"
#include "text/arena.h"
#include "text/span.h"

#include <stddef.h>
#include <stdint.h>

/* The sources of the values; all borrowed. */
struct message_source {
    const struct header *header; /* of the message; tokens read From, To and Subject */
    /* Unfolded and trimmed; p is NULL if the message has no such field. */
    struct span id_text;
    struct span date_text;
    const char *hash;           /* the Message-ID-Hash; NULL: made if needed */
    uint64_t number;            /* {sequence}; 0: none */
    const struct list *list;    /* its variables, for tokens; NULL: none */
    const struct token *tokens; /* token i is the variable VAR_FIRST_TOKEN + i */
    size_t token_count;
};

/* Returns the sources that are in a header. Texts live in the arena. */
struct message_source message_source_of(const struct header *header, struct arena *arena);

/* Sets at least the variables of `needs` for which the message has a value. An empty id gives
 * neither {message_id} nor a hash (AT-14, RULINGS 6). Texts are borrowed or live in the arena. */
void message_values(const struct message_source *source, uint64_t needs, struct arena *arena,
                    struct variable_values *values);

#endif
