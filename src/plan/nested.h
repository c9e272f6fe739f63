/*
 * nested - lists that List-Id fields name, and the parent of a post; for plan/ only
 */
#ifndef MLMILTER_PLAN_NESTED_H
#define MLMILTER_PLAN_NESTED_H

#include "plan/selection.h"

/* The lists with select = "list-id" that List-Id fields name. Parents of others do not count, but
 * two lists that name each other prove nothing about each other (RULINGS 19, 78). */
struct list_ids {
    const struct list *first; /* NULL: none */
    /* The only one, or the one whose address the envelope sender is derived from, the longest
     * address first (RULINGS 19, 75, 113). NULL: none. */
    const struct list *list;
    /* A person sends on a post of the lists. A mail program that "bounces" it, or a Sieve
     * "redirect", keeps all list fields; but the envelope sender is none of the lists', and all
     * recipients are lists (RULINGS 114). */
    bool is_resent;
};

struct list_ids nested_list_ids(const struct facts *facts, struct arena *arena);

/* Returns the alias list that is the only recipient, if it names the list as a parent. The milter
 * sees one copy of a parent's post for all of its members (RULINGS 14). */
const struct list *nested_only_sublist(const struct envelope *envelope, const struct list *parent);

/* Sets has_parent and parent_field: the first List-Id of a parent of the list whose fields may stay
 * (RULINGS 20, 27, 78). */
void nested_find_parent(const struct facts *facts, struct selection *s, struct arena *arena);

#endif
