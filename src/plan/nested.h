/*
 * nested - lists that are subscribed to lists: the parent of a post (RULINGS 14, 19, 20, 27, 78)
 *
 * For plan/ only.
 */
#ifndef MLMILTER_PLAN_NESTED_H
#define MLMILTER_PLAN_NESTED_H

#include "plan/selection.h"

#define NAMED_LISTS_MAX 16 /* configured lists that are read from List-Ids (RULINGS 97) */

/* The select = "list-id" lists in the List-Id fields, each once, in the order of the fields. */
struct named_lists {
    const struct list *lists[NAMED_LISTS_MAX];
    size_t count;
};

struct named_lists nested_named_lists(const struct facts *facts, struct arena *arena);

/* Returns the lists that are no parents of others (RULINGS 19); all of them if each is one. */
struct named_lists nested_lowest(const struct named_lists *named);

/* Returns the list of the List-Ids: the only one of the lowest, or the one whose address the
 * envelope sender is derived from, the longest address first (RULINGS 19, 75, 113). NULL if there
 * is none. */
const struct list *nested_list_of_ids(const struct facts *facts, const struct named_lists *named);

/* True if a person sends on a post of the lists. A mail program that "bounces" it, or a Sieve
 * "redirect", keeps all list fields; but the envelope sender is none of the lists', and all
 * recipients are lists (RULINGS 114). */
bool nested_is_resent(const struct facts *facts, const struct named_lists *named);

/* Returns the alias list that is the only recipient, if it names the list as a parent. The milter
 * sees one copy of a parent's post for all of its members (RULINGS 14). */
const struct list *nested_only_sublist(const struct envelope *envelope, const struct list *parent);

/* Sets has_parent and parent_field: the first List-Id of a parent of the list whose fields may stay
 * (RULINGS 20, 27, 78). */
void nested_find_parent(const struct facts *facts, struct selection *s, struct arena *arena);

#endif
