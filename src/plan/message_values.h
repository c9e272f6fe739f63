/*
 * message_values - what a message has for the variables of templates (VARS_MESSAGE)
 */
#ifndef MLMILTER_PLAN_MESSAGE_VALUES_H
#define MLMILTER_PLAN_MESSAGE_VALUES_H

#include "spec/digest.h"
#include "spec/uri_template.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdint.h>

/* Sets those of the `needs` variables that the message has: {message_id} and its hash with an id,
 * the parts of the date with a Date that can be read, {list_id_hash} with both fields (a Date that
 * cannot be read enters it as it stands, R1-01). id_text and date_text are unfolded and trimmed;
 * their .p is NULL where the message has no such field. Texts are borrowed or live in the arena. 0,
 * or -1 (memory or libcrypto). */
int message_values(struct span id_text, struct span date_text, uint64_t needs,
                   const struct digest *sha1, struct arena *arena, struct variable_values *values);

#endif
