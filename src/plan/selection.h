/*
 * selection - the list of a message, and the role of the message for it (RULINGS B, 77)
 */
#ifndef MLMILTER_PLAN_SELECTION_H
#define MLMILTER_PLAN_SELECTION_H

#include "config/settings.h"
#include "mail/header.h"
#include "plan/envelope.h"
#include "text/arena.h"

#include <stdbool.h>

/* The facts about one message, borrowed from the caller for one decision. */
struct facts {
    const struct settings *settings;
    const struct envelope *envelope;
    const struct header *header;
    struct span mta_message_id; /* Sendmail's {msg_id}, or empty */
    int64_t arrival;            /* seconds since 1970 UTC */
    /* Recipients that must come in another transaction, as given; for explain. */
    const struct span *deferred;
    size_t deferred_count;
};

enum role { ROLE_NONE, ROLE_FEED, ROLE_DISTRIBUTION };

/* The rule that chose the list, in the order in which rules are tried (RULINGS 77). */
enum selection_rule {
    RULE_NONE,
    RULE_FORCED,         /* --list */
    RULE_LIST_ID,        /* a trusted client and the list's own List-Id */
    RULE_SENDER,         /* a trusted client and the list's envelope sender */
    RULE_COMMAND_SENDER, /* a trusted client, and the sender is a command address of the list */
    RULE_COMMAND_FROM,   /* a trusted client, and From has a command address of the list */
    RULE_RECIPIENT,      /* a recipient is a list that the MTA expands */
    RULE_FEED,           /* a recipient is a list that a list manager serves */
    RULE_AMBIGUOUS /* List-Ids of several configured lists: cleaned, not stamped (RULINGS 19) */
};

struct selection {
    enum role role;
    const struct list *list; /* borrowed from the settings; NULL with ROLE_NONE */
    enum selection_rule rule;
    bool command_response;
    /* A list manager made this copy. A trusted client sent it, and List-Id, sender or a command
     * address is a list's; or --list names a list that has a list manager. */
    bool list_manager_output;
    bool private_recipients; /* role feed: a recipient is no configured list */
    bool removes_only;       /* role feed of an address below the list, whose purpose only its list
                                manager knows: nothing is added, and only a header that is too large
                                is refused (RULINGS 21) */
    bool has_parent;         /* a parent list distributed this post; its fields stay (RULINGS 27) */
    size_t parent_field;     /* the place of the parent's List-Id in the header */
    uint64_t sender_number;  /* of the post in the envelope sender; see sender_number() */
};

/* Chooses the list by the rules. */
struct selection selection_make(const struct facts *facts, struct arena *arena);

/* Chooses distribution of this list, whatever envelope and header contain (RULINGS 24). */
struct selection selection_force(const struct facts *facts, const struct list *list,
                                 struct arena *arena);

/* True if this is the poster's own copy, seen once, before a list manager or the MTA copies it.
 * Only then may a policy refuse it: a refusal of a list manager's copy would bounce to the list
 * manager (RULINGS 31, 78). Only then does a value of the clock reach every copy (RULINGS 8). The
 * role is not ROLE_NONE. */
bool selection_from_poster(const struct selection *selection);

/* clang-format off */
/* Returns mlmmj's own number of a post, from its envelope sender (RULINGS 50):
 *
 *   sender = local-part-of-address ( "+" / "-" ) "bounces-" 1*DIGIT [ "-" anything ] "@" anything
 *
 * ASCII letter case does not count. Returns 0 if there is no number, or it is 0 or larger than
 * POST_NUMBER_MAX. */
/* clang-format on */
uint64_t sender_number(struct span sender, struct span address);

const char *role_name(enum role role);

/* Returns the reason for the choice in a few words for a person. Static storage. */
const char *selection_reason(const struct selection *selection);

#endif
