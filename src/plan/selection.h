/*
 * selection - which list a message belongs to, and in which role (RULINGS B, 77)
 */
#ifndef MLMILTER_PLAN_SELECTION_H
#define MLMILTER_PLAN_SELECTION_H

#include "config/settings.h"
#include "plan/facts.h"
#include "text/arena.h"

#include <stdbool.h>

enum role { ROLE_NONE, ROLE_FEED, ROLE_DISTRIBUTION };

/* The rule that decided, in the order in which they are tried (RULINGS 77). */
enum selection_rule {
    RULE_NONE,
    RULE_FORCED,          /* --list */
    RULE_LIST_ID,         /* a trusted client and the list's own List-Id */
    RULE_SENDER,          /* a trusted client and the list's envelope sender */
    RULE_COMMAND_ADDRESS, /* a trusted client and one of the list's command addresses */
    RULE_RECIPIENT,       /* a recipient is a list that the MTA expands */
    RULE_FEED,            /* a recipient is a list that a list manager serves */
    RULE_AMBIGUOUS        /* List-Ids of two lists of ours: cleaned, not stamped (RULINGS 19) */
};

struct selection {
    enum role role;
    const struct list *list; /* borrowed from the settings; NULL with ROLE_NONE */
    enum selection_rule rule;
    bool command_response;
    /* A list manager made this copy: a trusted client, and the List-Id (one or several), the sender
     * or a command address is that of a list of ours; or --list names a list that has one. */
    bool list_manager_output;
    bool private_recipients; /* role feed: not every recipient is a list of ours */
    /* Role feed of a list that only a delimiter led to: what its list manager makes of the message
     * is not known, so nothing is refused or added (RULINGS 21). */
    bool removes_only;

    /* The List-Id field of a parent list that distributed this post: its fields stay, as the plan
     * says (RULINGS 27). */
    bool has_parent;
    size_t parent_field; /* its place in the header */
};

/* Decides. 0 or -1 (memory). */
int selection_make(const struct facts *facts, struct arena *arena, struct selection *out);

/* Distribution of this list, whatever the envelope and the header say (RULINGS 24). 0 or -1. */
int selection_force(const struct facts *facts, const struct list *list, struct arena *arena,
                    struct selection *out);

/* Is this the poster's own copy, seen once, before a list manager or the MTA copies it? Only there
 * may a policy refuse (what a list manager sends would bounce to it, RULINGS 31, 78), and only
 * there does what the clock gives reach every copy (RULINGS 8). Not with ROLE_NONE. */
bool selection_from_poster(const struct selection *selection);

const char *role_name(enum role role);

/* Why, in a few words for a person. Static storage. */
const char *selection_reason(const struct selection *selection);

#endif
