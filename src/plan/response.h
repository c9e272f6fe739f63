/*
 * response - answers of a list manager to one person, which are no posts; for plan/ only
 */
#ifndef MLMILTER_PLAN_RESPONSE_H
#define MLMILTER_PLAN_RESPONSE_H

#include "plan/selection.h"

/* Returns the list that has the envelope sender as a plain command address, or NULL. */
const struct list *response_list_by_sender(const struct facts *facts);

/* Returns the list that has an address of the first From as a command address, if the envelope
 * sender is null or derived from the list's address; or NULL. */
const struct list *response_list_by_from(const struct facts *facts, struct arena *arena);

/* True if the selected message is an answer (RULINGS 12; LI 3, LH 3). */
bool response_is(const struct facts *facts, const struct selection *s, struct arena *arena);

#endif
