/*
 * selection_command - answers of list managers to commands (RULINGS 12); for selection.c only
 *
 * They belong to the list and get its fields, but are no posts.  Pure.
 */
#ifndef MLMILTER_PLAN_SELECTION_COMMAND_H
#define MLMILTER_PLAN_SELECTION_COMMAND_H

#include "config/settings.h"
#include "plan/facts.h"
#include "text/arena.h"

#include <stdbool.h>

/* The list that a message without a List-Id of ours is an answer of: the envelope sender is one of
 * its command addresses, or an address in From is one, while the envelope sender is null or derived
 * from an address of the list. *list is NULL when there is none. 0 or -1 (memory). */
int command_find_list(const struct facts *facts, struct arena *arena, const struct list **list);

/* Is a distribution of the list, which its manager made, an answer? Not what carries a post's
 * number, and not what the owner posted under an address of the list's own; an "always:" address
 * decides before these. Also what is addressed to the owner at such an address, and not to the
 * list: Mailman's notices, which come from one address for all lists. 0 or -1 (memory). */
int command_is_response(const struct facts *facts, const struct list *list, struct arena *arena,
                        bool *response);

#endif
