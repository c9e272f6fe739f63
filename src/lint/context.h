/*
 * context - what the checks of one message share
 */
#ifndef MLMILTER_LINT_CONTEXT_H
#define MLMILTER_LINT_CONTEXT_H

#include "lint/findings.h"
#include "mail/message.h"
#include "spec/digest.h"
#include "spec/message_id.h"
#include "text/span.h"

/* Octets of a field's text that a finding quotes at most, for "%.*s". */
#define LINT_QUOTED 200

struct lint_context {
    struct lint_findings *findings;
    const struct message *message;
    struct arena *arena; /* that of the findings */
    struct span domain;  /* as the caller gave it, or empty */

    struct span id; /* text of the first Message-ID; .p is NULL when there is none */
    char hash[MESSAGE_ID_HASH_LENGTH + 1];      /* "" without an id, or a field that holds it */
    char list_hash[MESSAGE_ID_HASH_LENGTH + 1]; /* "" without id or Date */
    struct span named_hash;                     /* text of the first Message-ID-Hash */
    struct span named_list_hash;                /* and of the first X-List-ID-Hash */
    struct span list_id;                        /* of the first List-Id if it is one, or empty */
    int is_international; /* UTF-8 in From, To or Subject; -1: nobody asked yet */
};

/* Fills *c, whose first four members are set, from the message. */
void lint_context_fill(struct lint_context *c);

/* The text of the field at a place. Out of memory it is empty, and that is remembered. */
struct span lint_text(const struct lint_context *c, size_t place);

/* The place of the first field of that name, or LINT_NO_PLACE; and its text, .p is NULL without. */
size_t lint_place_of(const struct lint_context *c, enum field_name name);
struct span lint_first(const struct lint_context *c, enum field_name name);

/* Is it a list's, as far as it shows: has it an owned field, or did the caller say so? */
bool lint_is_list_mail(const struct lint_context *c);

/* For "%.*s": at most LINT_QUOTED octets. */
int lint_quoted(struct span text);

#endif
