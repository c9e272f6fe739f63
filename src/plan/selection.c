/* selection - the rules of mlmilter.conf(5), in the order of RULINGS 77 */
#include "plan/selection.h"

#include "config/lists/list.h"
#include "plan/nested.h"
#include "plan/post.h"
#include "plan/response.h"

static const char reason_resent[] = "a person sends on a post: the List-Id is a list's, and the "
                                    "envelope sender is not";
static const char reason_expanded[] = "a recipient is the list, which the MTA expands";

/* The rules, in their order (RULINGS 77). */
static const struct rule {
    enum selection_rule name;
    bool needs_trust;
    enum role role;
    enum origin origin;
    const char *reason;
} rules[] = {
    {RULE_RESENT, true, ROLE_DISTRIBUTION, ORIGIN_POSTER, reason_resent},
    {RULE_RESENT, true, ROLE_FEED, ORIGIN_POSTER, reason_resent},
    {RULE_SUBLIST, true, ROLE_DISTRIBUTION, ORIGIN_POSTER, reason_expanded},
    {RULE_LIST_ID, true, ROLE_DISTRIBUTION, ORIGIN_MANAGER,
     "a trusted client, and the List-Id is the list's"},
    {RULE_AMBIGUOUS, true, ROLE_FEED, ORIGIN_MANAGER,
     "the List-Id fields name several lists and the sender does not decide"},
    {RULE_SENDER, true, ROLE_DISTRIBUTION, ORIGIN_MANAGER,
     "a trusted client, and the envelope sender is the list's"},
    {RULE_COMMAND_SENDER, true, ROLE_DISTRIBUTION, ORIGIN_MANAGER,
     "a trusted client, and the sender is a command address of the list"},
    {RULE_COMMAND_FROM, true, ROLE_DISTRIBUTION, ORIGIN_MANAGER,
     "a trusted client, and From has a command address of the list"},
    {RULE_CONTESTED, false, ROLE_FEED, ORIGIN_UNKNOWN,
     "a recipient is a local mailbox whose name lists of two owners have"},
    {RULE_RECIPIENT, false, ROLE_DISTRIBUTION, ORIGIN_POSTER, reason_expanded},
    {RULE_FEED, false, ROLE_FEED, ORIGIN_POSTER,
     "a recipient is the list, and its list manager has not had the message yet"},
    {RULE_CONTACT, false, ROLE_FEED, ORIGIN_UNKNOWN,
     "a recipient is a command address of the list, which the MTA expands"},
    {RULE_BELOW, false, ROLE_FEED, ORIGIN_UNKNOWN,
     "a recipient is below the list's address or a command address: its list manager knows the "
     "purpose"},
};
_Static_assert(sizeof rules / sizeof rules[0] == RULE_COUNT - 1,
               "a row for each rule but none and forced, two for resent");
_Static_assert(RULE_COUNT == 14, "a new rule: also ROLES in mlmilter.conf(5), and what nested.c, "
                                 "response.c and plan.c ask of it");

/* Returns the first list to which a recipient leads in that kind: an alias list or another. */
static const struct list *first_list(const struct envelope *envelope, enum recipient_kind kind,
                                     bool is_alias)
{
    const struct envelope_list *at = envelope->lists;
    while (at != NULL && (at->kind != kind || (at->list->select == SELECT_RECIPIENT) != is_alias))
        at = at->next;
    return at != NULL ? at->list : NULL;
}

/* Returns the list that a rule chooses, or NULL. The compiler names a rule that has no case. */
static const struct list *list_by_rule(const struct rule *rule, const struct facts *facts,
                                       const struct list_ids *ids, struct arena *arena)
{
    const struct envelope *envelope = facts->envelope;
    bool is_to_list = (envelope->kinds & ~KINDS_PERSON) != 0; /* no answer (RULINGS 12) */
    bool is_alias = rule->role == ROLE_DISTRIBUTION;
    switch (rule->name) {
    case RULE_NONE:
    case RULE_FORCED:
    case RULE_COUNT:
        break;
    case RULE_RESENT:
        return ids->is_resent ? first_list(envelope, RECIPIENT_LIST, is_alias) : NULL;
    case RULE_SUBLIST:
        return ids->list != NULL ? nested_only_sublist(envelope, ids->list) : NULL;
    case RULE_LIST_ID:
        return ids->list;
    case RULE_AMBIGUOUS:
        return ids->first;
    case RULE_SENDER:
        return list_by_sender(&facts->settings->index, envelope->sender_mailbox);
    case RULE_COMMAND_SENDER:
        return is_to_list ? NULL : response_list_by_sender(facts);
    case RULE_COMMAND_FROM:
        return is_to_list ? NULL : response_list_by_from(facts, arena);
    case RULE_CONTESTED:
        return envelope->contested.list;
    case RULE_RECIPIENT:
    case RULE_FEED:
        return first_list(envelope, RECIPIENT_LIST, is_alias);
    case RULE_CONTACT:
        return first_list(envelope, RECIPIENT_CONTACT, true);
    case RULE_BELOW: /* no other list is left */
        return envelope->lists != NULL ? envelope->lists->list : NULL;
    }
    return NULL;
}

/* Makes the selection of a list by a rule. An alias list has no list manager. */
static struct selection choose(const struct facts *facts, const struct rule *rule,
                               const struct list *list, struct arena *arena)
{
    const unsigned kinds = facts->envelope->kinds;
    struct selection s = {.role = rule->role,
                          .list = list,
                          .rule = rule->name,
                          .reason = rule->reason,
                          .origin = rule->origin};
    if (list->select == SELECT_RECIPIENT && s.origin == ORIGIN_MANAGER)
        s.origin = ORIGIN_POSTER;
    /* Mail to a contact of an alias list may reach the members, and loses all owned fields, whoever
     * is private (RULINGS 70, 112). */
    s.spares_private = s.role == ROLE_FEED && s.origin != ORIGIN_MANAGER &&
                       s.rule != RULE_CONTESTED && (kinds & KINDS_PRIVATE) != 0 &&
                       (kinds & KIND_BIT(RECIPIENT_CONTACT)) == 0;
    s.sender_number = sender_number(facts->envelope->sender, list->address);
    nested_find_parent(facts, &s, arena);
    s.command_response = response_is(facts, &s, arena);
    return s;
}

struct selection selection_make(const struct facts *facts, const struct list *forced,
                                struct arena *arena)
{
    static const struct rule by_name = {.name = RULE_FORCED,
                                        .role = ROLE_DISTRIBUTION,
                                        .origin = ORIGIN_MANAGER,
                                        .reason = "the list was named by --list"};
    bool trusted = facts->envelope->trusted;
    struct list_ids ids = {.list = NULL};
    if (forced != NULL)
        return choose(facts, &by_name, forced, arena);
    if (trusted)
        ids = nested_list_ids(facts, arena);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct rule *rule = &rules[i];
        const struct list *list =
            trusted || !rule->needs_trust ? list_by_rule(rule, facts, &ids, arena) : NULL;
        if (list != NULL)
            return choose(facts, rule, list, arena);
    }
    return (struct selection){
        .reason =
            "no list: neither a trusted client's List-Id or sender nor a recipient names one"};
}
