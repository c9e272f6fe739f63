/*
 * selection - the list of a message, and the role of the message for it (RULINGS 77)
 */
#ifndef MLMILTER_PLAN_SELECTION_H
#define MLMILTER_PLAN_SELECTION_H

#include "plan/facts.h"
#include "text/arena.h"

#include <stdbool.h>

enum role { ROLE_NONE, ROLE_FEED, ROLE_DISTRIBUTION };

/* The rule that chose the list. The order in which rules are tried is in selection.c. */
enum selection_rule {
    RULE_NONE,
    RULE_FORCED,         /* --list */
    RULE_RESENT,         /* a person sends on a post of a list to a list (RULINGS 114) */
    RULE_SUBLIST,        /* the only recipient is an alias list below the List-Id's (RULINGS 14) */
    RULE_LIST_ID,        /* a trusted client and the list's own List-Id */
    RULE_AMBIGUOUS,      /* List-Ids of several lists: cleaned, not stamped (RULINGS 19) */
    RULE_SENDER,         /* a trusted client and the list's envelope sender */
    RULE_COMMAND_SENDER, /* a trusted client, and the sender is a command address of the list */
    RULE_COMMAND_FROM,   /* a trusted client, and From has a command address of the list */
    RULE_CONTESTED,      /* a recipient is a mailbox of two owners (RULINGS 111) */
    RULE_RECIPIENT,      /* a recipient is a list that the MTA expands */
    RULE_FEED,           /* a recipient is a list that a list manager serves */
    RULE_CONTACT,        /* a recipient is a contact of an alias list (RULINGS 112) */
    RULE_BELOW,          /* a recipient is below a list, or a contact of one (RULINGS 21) */
    RULE_COUNT
};

/* The origin of a message with a role; it decides which policies apply. */
enum origin {
    /* The poster's message, before copies are made: a policy may refuse it, and the Date that it
     * gets is the same in all copies (RULINGS 8, 31). */
    ORIGIN_POSTER,
    /* A list manager's copy. A refusal would bounce to the list manager (RULINGS 31, 78). */
    ORIGIN_MANAGER,
    /* Mail to an address with a purpose that only the list manager or the MTA knows: it is cleaned,
     * and no policy but `duplicate_message_id = "delete"` applies (RULINGS 21, 111, 112). A
     * header that no copy may have is refused all the same (RULINGS 71, 116). */
    ORIGIN_UNKNOWN
};

struct selection {
    enum role role;
    const struct list *list; /* borrowed from the settings; NULL with ROLE_NONE */
    enum selection_rule rule;
    const char *reason; /* of the choice, in a few words for a person */
    enum origin origin;
    bool command_response;
    bool spares_private;    /* role feed: a private recipient gets the copy, too (RULINGS 70) */
    bool has_parent;        /* a parent list distributed this post; its fields stay (RULINGS 27) */
    size_t parent_field;    /* the place of the parent's List-Id in the header */
    uint64_t sender_number; /* of the post in the envelope sender; see sender_number() */
};

/* Chooses the list by the rules; or distribution of `forced`, unless it is NULL, whatever envelope
 * and header contain (RULINGS 24). */
struct selection selection_make(const struct facts *facts, const struct list *forced,
                                struct arena *arena);

#endif
