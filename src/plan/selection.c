/* selection - the rules of mlmilter.conf(5), in the order of RULINGS 77 */
#include "plan/selection.h"

#include "config/lists/list.h"
#include "plan/nested.h"
#include "plan/post.h"
#include "plan/response.h"

/* The input of the rules. */
struct candidates {
    const struct facts *facts;
    struct named_lists named; /* by List-Id; none from a client that is not trusted */
    struct arena *arena;
};

/* Returns the first list to which a recipient leads in that kind: an alias list or another. */
static const struct list *first_list(const struct candidates *c, enum recipient_kind kind,
                                     bool is_alias)
{
    const struct envelope_list *at = c->facts->envelope->lists;
    while (at != NULL && (at->kind != kind || (at->list->select == SELECT_RECIPIENT) != is_alias))
        at = at->next;
    return at != NULL ? at->list : NULL;
}

static const struct list *by_recipient(const struct candidates *c)
{
    return first_list(c, RECIPIENT_LIST, true);
}

static const struct list *by_feed(const struct candidates *c)
{
    return first_list(c, RECIPIENT_LIST, false);
}

static const struct list *by_resent_recipient(const struct candidates *c)
{
    return nested_is_resent(c->facts, &c->named) ? by_recipient(c) : NULL;
}

static const struct list *by_resent_feed(const struct candidates *c)
{
    return nested_is_resent(c->facts, &c->named) ? by_feed(c) : NULL;
}

static const struct list *by_list_id(const struct candidates *c)
{
    return nested_list_of_ids(c->facts, &c->named);
}

static const struct list *by_sublist(const struct candidates *c)
{
    const struct list *parent = by_list_id(c);
    return parent != NULL ? nested_only_sublist(c->facts->envelope, parent) : NULL;
}

static const struct list *by_ambiguous_ids(const struct candidates *c)
{
    struct named_lists lowest = nested_lowest(&c->named);
    return lowest.count > 0 ? lowest.lists[0] : NULL;
}

static const struct list *by_sender(const struct candidates *c)
{
    return list_by_sender(&c->facts->settings->index, c->facts->envelope->sender_mailbox);
}

static const struct list *by_command_sender(const struct candidates *c)
{
    return response_is_to_list(c->facts) ? NULL : response_list_by_sender(c->facts);
}

static const struct list *by_command_from(const struct candidates *c)
{
    return response_is_to_list(c->facts) ? NULL : response_list_by_from(c->facts, c->arena);
}

static const struct list *by_contested(const struct candidates *c)
{
    return c->facts->envelope->contested;
}

static const struct list *by_contact(const struct candidates *c)
{
    return first_list(c, RECIPIENT_CONTACT, true);
}

/* No other list is left than those that a recipient is below, or a contact of. */
static const struct list *by_below(const struct candidates *c)
{
    const struct envelope_list *first = c->facts->envelope->lists;
    return first != NULL ? first->list : NULL;
}

/* The rules, in their order (RULINGS 77). */
static const struct rule {
    enum selection_rule name;
    bool needs_trust;
    const struct list *(*find)(const struct candidates *c);
    enum role role;
    enum origin origin;
} rules[] = {
    {RULE_RESENT, true, by_resent_recipient, ROLE_DISTRIBUTION, ORIGIN_POSTER},
    {RULE_RESENT, true, by_resent_feed, ROLE_FEED, ORIGIN_POSTER},
    {RULE_SUBLIST, true, by_sublist, ROLE_DISTRIBUTION, ORIGIN_POSTER},
    {RULE_LIST_ID, true, by_list_id, ROLE_DISTRIBUTION, ORIGIN_MANAGER},
    {RULE_AMBIGUOUS, true, by_ambiguous_ids, ROLE_FEED, ORIGIN_MANAGER},
    {RULE_SENDER, true, by_sender, ROLE_DISTRIBUTION, ORIGIN_MANAGER},
    {RULE_COMMAND_SENDER, true, by_command_sender, ROLE_DISTRIBUTION, ORIGIN_MANAGER},
    {RULE_COMMAND_FROM, true, by_command_from, ROLE_DISTRIBUTION, ORIGIN_MANAGER},
    {RULE_CONTESTED, false, by_contested, ROLE_FEED, ORIGIN_UNKNOWN},
    {RULE_RECIPIENT, false, by_recipient, ROLE_DISTRIBUTION, ORIGIN_POSTER},
    {RULE_FEED, false, by_feed, ROLE_FEED, ORIGIN_POSTER},
    {RULE_CONTACT, false, by_contact, ROLE_FEED, ORIGIN_UNKNOWN},
    {RULE_BELOW, false, by_below, ROLE_FEED, ORIGIN_UNKNOWN},
};

/* True if a private recipient keeps most fields of the copy. Mail to a contact of an alias list may
 * reach its members, and so loses all owned fields (RULINGS 70, 112). */
static bool spares_private(const struct selection *s, const struct envelope *envelope)
{
    bool is_feed = s->role == ROLE_FEED && s->origin != ORIGIN_MANAGER;
    return is_feed && s->rule != RULE_CONTESTED && envelope->has_private &&
           envelope->counts.alias_list_contacts == 0;
}

/* Makes the selection of a list by a rule. An alias list has no list manager. */
static struct selection choose(const struct facts *facts, const struct rule *rule,
                               const struct list *list, struct arena *arena)
{
    struct selection s = {
        .role = rule->role, .list = list, .rule = rule->name, .origin = rule->origin};
    if (list->select == SELECT_RECIPIENT && s.origin == ORIGIN_MANAGER)
        s.origin = ORIGIN_POSTER;
    s.spares_private = spares_private(&s, facts->envelope);
    s.sender_number = sender_number(facts->envelope->sender, list->address);
    nested_find_parent(facts, &s, arena);
    s.command_response = response_is(facts, &s, arena);
    return s;
}

struct selection selection_make(const struct facts *facts, struct arena *arena)
{
    struct candidates c = {.facts = facts, .arena = arena};
    bool trusted = facts->envelope->trusted;
    if (trusted)
        c.named = nested_named_lists(facts, arena);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct rule *rule = &rules[i];
        const struct list *list = trusted || !rule->needs_trust ? rule->find(&c) : NULL;
        if (list != NULL)
            return choose(facts, rule, list, arena);
    }
    return (struct selection){.rule = RULE_NONE};
}

struct selection selection_force(const struct facts *facts, const struct list *list,
                                 struct arena *arena)
{
    static const struct rule forced = {RULE_FORCED, false, NULL, ROLE_DISTRIBUTION, ORIGIN_MANAGER};
    return choose(facts, &forced, list, arena);
}
