/*
 * selection_list_id - what the List-Id fields of a message say; for the files of plan/ only
 *
 * Nobody is asked here whether the client may speak for a list.
 */
#ifndef MLMILTER_PLAN_SELECTION_LIST_ID_H
#define MLMILTER_PLAN_SELECTION_LIST_ID_H

#include "config/settings.h"
#include "plan/facts.h"
#include "text/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct list_id_finding {
    /* The list with select = "list-id" that the fields name (RULINGS 19); NULL: none. */
    const struct list *list;
    bool ambiguous; /* they name several, and the envelope sender does not decide; list is the first
                     */
    /* An alias list that is the only recipient and names `list` as its parent: it is to be chosen
     * instead (RULINGS 14). NULL: none. */
    const struct list *sublist;
};

/* Is id in the list's `parents`? */
bool list_id_names_parent(const struct list *list, struct span id);

/* 0 or -1 (memory). */
int list_id_find(const struct facts *facts, struct arena *arena, struct list_id_finding *out);

/* The first List-Id field of the header with the id of a parent of list, which has `parents`; with
 * of_all_recipients it must be a parent of each list among the recipients, too (RULINGS 20). 0 or
 * -1 (memory). */
int list_id_find_parent(const struct facts *facts, const struct list *list, bool of_all_recipients,
                        struct arena *arena, bool *found, size_t *place);

#endif
