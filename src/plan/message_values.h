/*
 * message_values - what a message has for the variables of templates (VARS_MESSAGE, VARS_TOKENS)
 *
 * These values are the same for the daemon's posts and for off-list copies.
 */
#ifndef MLMILTER_PLAN_MESSAGE_VALUES_H
#define MLMILTER_PLAN_MESSAGE_VALUES_H

#include "config/settings.h"
#include "mail/header.h"
#include "spec/digest.h"
#include "spec/token.h"
#include "spec/uri_template.h"
#include "text/arena.h"
#include "text/span.h"

#include <stddef.h>
#include <stdint.h>

/* Where the values come from; all borrowed. */
struct message_source {
    const struct header *header; /* From, To and Subject, for tokens */
    /* Unfolded and trimmed; their .p is NULL where the message has no such field. */
    struct span id_text;
    struct span date_text;
    const char *hash;           /* the Message-ID-Hash; NULL: made here if it is needed */
    uint64_t number;            /* {sequence}; 0: none */
    const struct list *list;    /* its variables, for tokens; NULL: none */
    const struct token *tokens; /* token i is the variable VAR_FIRST_TOKEN + i */
    size_t token_count;
};

/* Sets those of the `needs` variables that the message has: {message_id} and its hash with an id
 * that is not empty (AT-14, RULINGS 6),
 * the parts of the date with a Date that can be read, {list_id_hash} with both fields (a Date that
 * cannot be read enters it as it stands, R1-01), {sequence} with a number, and with an id the
 * tokens that can be made of these (RULINGS 48). More than was asked for may be set. Texts are
 * borrowed or live in the arena. 0, or -1 (memory or libcrypto). */
int message_values(const struct message_source *source, uint64_t needs, struct arena *arena,
                   struct variable_values *values);

#endif
