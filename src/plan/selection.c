/* selection - the rules of mlmilter.conf(5), in the order of RULINGS 77 */
#include "plan/selection.h"

#include "config/lists/list.h"
#include "mail/address.h"
#include "spec/list_id.h"
#include "spec/mailbox.h"
#include "text/number.h"

#define LISTS_MAX      16   /* configured lists that are read from List-Ids (RULINGS 97) */
#define ADDRESSEES_MAX 1000 /* addresses that are read from To and Cc (RULINGS 95) */

/* ---- rule 1: List-Id ---- */

/* Reads the next List-Id that has an id, from *place on, and moves *place after it. Returns false
 * if there is no more. */
static bool next_list_id(const struct facts *facts, struct arena *arena, size_t *place,
                         struct span *id)
{
    const struct header *header = facts->header;
    while ((*place = header_find(header, FIELD_LIST_ID, *place)) < header_count(header))
        if (list_id_read(header_field(header, (*place)++).value, arena, id))
            return true;
    return false;
}

/* The lists of the List-Id fields, each once, in the order of the fields. */
struct named_lists {
    const struct list *lists[LISTS_MAX];
    size_t count;
};

static struct named_lists named_lists(const struct facts *facts, struct arena *arena)
{
    struct named_lists named = {.count = 0};
    size_t place = 0;
    struct span id;
    while (named.count < LISTS_MAX && next_list_id(facts, arena, &place, &id)) {
        const struct list *list = list_get(&facts->settings->index, LIST_BY_ID, id);
        bool is_new = list != NULL && list->select == SELECT_LIST_ID;
        for (size_t i = 0; i < named.count; i++)
            is_new = is_new && named.lists[i] != list;
        if (is_new)
            named.lists[named.count++] = list;
    }
    return named;
}

/* Removes the lists that are parents of others (RULINGS 19), unless all are. Two lists that name
 * each other prove nothing about each other (RULINGS 78). */
static void drop_parents(struct named_lists *named)
{
    struct named_lists left = {.count = 0};
    for (size_t i = 0; i < named->count; i++) {
        const struct list *list = named->lists[i];
        bool is_parent = false;
        for (size_t k = 0; k < named->count; k++)
            is_parent |= list_names_parent(named->lists[k], list->id) &&
                         !list_names_parent(list, named->lists[k]->id);
        if (!is_parent)
            left.lists[left.count++] = list;
    }
    if (left.count > 0)
        *named = left;
}

/* Returns the list whose envelope sender this is; of several the one with the longest address
 * (RULINGS 75). */
static const struct list *list_of_sender(const struct facts *facts, const struct named_lists *named)
{
    const struct list *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < named->count; i++) {
        size_t length = list_derives_sender(named->lists[i], facts->envelope->sender_mailbox);
        best = length > longest ? named->lists[i] : best;
        longest = length > longest ? length : longest;
    }
    return best;
}

/* Returns the alias list that is the only recipient, if it is below the list. The milter sees one
 * copy of a parent's post for all of its members (RULINGS 14). */
static const struct list *only_sublist(const struct envelope *envelope, const struct list *parent)
{
    if (envelope->list_count != 1 || envelope->several_recipients)
        return NULL;
    const struct list *list = envelope->lists[0].list;
    return list->select == SELECT_RECIPIENT && list_names_parent(list, parent->id) ? list : NULL;
}

static void choose(struct selection *s, enum role role, const struct list *list,
                   enum selection_rule rule)
{
    s->role = role;
    s->list = list;
    s->rule = rule;
    s->list_manager_output = rule < RULE_RECIPIENT || rule == RULE_AMBIGUOUS;
}

static void by_list_id(const struct facts *facts, struct arena *arena, struct selection *out)
{
    struct named_lists named = named_lists(facts, arena);
    if (named.count == 0)
        return;
    drop_parents(&named);
    const struct list *list = named.count == 1 ? named.lists[0] : list_of_sender(facts, &named);
    const struct list *sublist = list != NULL ? only_sublist(facts->envelope, list) : NULL;
    if (list == NULL)
        choose(out, ROLE_FEED, named.lists[0], RULE_AMBIGUOUS);
    else if (sublist != NULL)
        choose(out, ROLE_DISTRIBUTION, sublist, RULE_RECIPIENT);
    else
        choose(out, ROLE_DISTRIBUTION, list, RULE_LIST_ID);
}

/* ---- command addresses (RULINGS 12) ---- */

/* A command address of a list that the message has. */
struct match {
    const struct list *list; /* NULL: none */
    struct span address;     /* as a mailbox */
    bool by_sender;          /* it is the envelope sender */
    bool always;             /* an address in From is an "always:" address */
};

/* Finds a command address of the wanted list (NULL: of any): the envelope sender, or an address in
 * the first From. There a plain one (kind 0) comes before a "from:" one (1), and that before one
 * with a token after "+" (2). */
static struct match find_command_address(const struct facts *facts, const struct list *wanted,
                                         struct arena *arena)
{
    const struct list_index *index = &facts->settings->index;
    struct span address = facts->envelope->sender_mailbox;
    struct match match = {.list = NULL};
    if (index->ways[LIST_BY_COMMAND].count + index->ways[LIST_BY_COMMAND_FROM].count == 0)
        return match;
    const struct list *list = list_get(index, LIST_BY_COMMAND, address);
    if (list != NULL && (wanted == NULL || list == wanted))
        return (struct match){.list = list, .address = address, .by_sender = true};
    struct span from = header_first(facts->header, FIELD_FROM, arena);
    for (int kind = 0; kind <= 2 && match.list == NULL; kind++) {
        struct cursor c = cursor_of(from);
        while (mailbox_next(&c, arena, &address)) {
            list = kind == 0   ? list_get(index, LIST_BY_COMMAND, address)
                   : kind == 1 ? list_get(index, LIST_BY_COMMAND_FROM, address)
                               : list_by_token(index, LIST_BY_COMMAND_FROM, address, wanted);
            if (match.list == NULL && list != NULL && (wanted == NULL || list == wanted)) {
                match.list = list;
                match.address = address;
            }
            match.always |= wanted != NULL && list_always_commands(index, wanted, address);
        }
    }
    return match;
}

/* Chooses the list that answers with this message. Mail to a configured list is no answer to a
 * person. An address in From counts if the envelope sender is null or derived from an address of
 * the list. */
static void by_command_address(const struct facts *facts, struct arena *arena,
                               struct selection *out)
{
    struct span sender = facts->envelope->sender_mailbox;
    if (facts->envelope->list_count > 0)
        return;
    struct match match = find_command_address(facts, NULL, arena);
    if (match.by_sender)
        choose(out, ROLE_DISTRIBUTION, match.list, RULE_COMMAND_SENDER);
    else if (match.list != NULL && (sender.n == 0 || list_derives_sender(match.list, sender) > 0))
        choose(out, ROLE_DISTRIBUTION, match.list, RULE_COMMAND_FROM);
}

/* The addressees of To and Cc. */
struct addressees {
    const struct list *list;
    struct arena *arena;
    struct list_owners owners; /* once has_owners */
    bool has_owners;
    size_t count;
    bool to_list;
    bool to_owner; /* at an address that is derived from the list's */
};

/* True if the mailbox is an owner's. Finds the owners the first time. */
static bool is_owner(struct addressees *to, struct span mailbox)
{
    if (!to->has_owners)
        list_owners(to->list, to->arena, &to->owners);
    to->has_owners = true;
    return list_owners_have(&to->owners, mailbox);
}

/* Reads the addresses in all fields of that name, up to the first one of the list. */
static void add_addressees(const struct facts *facts, enum field_name name, struct addressees *to)
{
    const struct header *header = facts->header;
    struct recipient recipient = {.mta_mailbox = span_of(NULL, 0)};
    for (size_t i = header_find(header, name, 0); i < header_count(header) && !to->to_list;
         i = header_find(header, name, i + 1)) {
        struct cursor c = cursor_of(header_text(facts->header, i, to->arena));
        while (!to->to_list && to->count++ < ADDRESSEES_MAX &&
               mailbox_next(&c, to->arena, &recipient.mailbox)) {
            struct list_recipient found = recipient_find_list(facts->settings, &recipient);
            to->to_list = found.list == to->list &&
                          !(found.below_list && list_names_contact(to->list, recipient.mailbox));
            if (!to->to_list && !to->to_owner &&
                list_derives_sender(to->list, recipient.mailbox) > 0)
                to->to_owner = is_owner(to, recipient.mailbox);
        }
    }
}

/* True if a list manager's distribution is addressed to the owner, and not to the list. It is from
 * the owner's command address, or from one that all lists of the host share, as Mailman's notices
 * are. */
static bool is_notice(const struct facts *facts, const struct list *list, const struct match *match,
                      struct arena *arena)
{
    struct addressees to = {.list = list, .arena = arena};
    if (match->list != NULL && !is_owner(&to, match->address))
        return true;
    add_addressees(facts, FIELD_TO, &to);
    add_addressees(facts, FIELD_CC, &to);
    return !to.to_list && (match->list != NULL || to.to_owner);
}

/* True if a distribution is an answer. A message with a post's number is none, unless an "always:"
 * address sent it. */
static bool is_command_response(const struct facts *facts, const struct selection *s,
                                struct arena *arena)
{
    if (s->rule == RULE_COMMAND_SENDER || s->rule == RULE_COMMAND_FROM)
        return true;
    if (s->role != ROLE_DISTRIBUTION || !s->list_manager_output)
        return false;
    struct match match = find_command_address(facts, s->list, arena);
    if (match.always || s->sender_number > 0)
        return match.always;
    return match.by_sender || is_notice(facts, s->list, &match, arena);
}

uint64_t sender_number(struct span sender, struct span address)
{
    static const struct span bounces = {"bounces-", 8};
    struct span local = address_local(sender), list = address_local(address);
    if (list.n == 0 || local.n <= list.n || !span_starts_nocase(local, list) ||
        (local.p[list.n] != '+' && local.p[list.n] != '-'))
        return 0;
    struct span rest = span_sub(local, list.n + 1, local.n);
    struct span digits = span_sub(rest, bounces.n, rest.n);
    digits.n = span_find(digits, '-');
    uint64_t number = 0;
    if (span_starts_nocase(rest, bounces))
        (void)number_parse(digits, POST_NUMBER_MAX, &number);
    return number;
}

/* Chooses the first alias list, else the first list of a list manager, else the first list with a
 * recipient below its address. */
static void by_recipient(const struct facts *facts, struct selection *out)
{
    const struct envelope *envelope = facts->envelope;
    const struct list *alias = NULL, *managers = NULL, *below = NULL;
    for (size_t i = envelope->list_count; i-- > 0;) {
        const struct list *list = envelope->lists[i].list;
        if (list->select == SELECT_RECIPIENT)
            alias = list;
        else if (envelope->lists[i].below_list)
            below = list;
        else
            managers = list;
    }
    if (alias != NULL) {
        choose(out, ROLE_DISTRIBUTION, alias, RULE_RECIPIENT);
    } else if (managers != NULL || below != NULL) {
        choose(out, ROLE_FEED, managers != NULL ? managers : below, RULE_FEED);
        out->removes_only = managers == NULL;
        out->private_recipients = envelope->private_recipients;
    }
}

/* True if the client may bring a parent's post to the list. */
static bool client_may_bring_parents(const struct list *list, const struct envelope *envelope)
{
    if (list->nesting == NULL)
        return false;
    return list->nesting->has_sources ? trust_matches(&list->nesting->sources, &envelope->client)
                                      : envelope->trusted;
}

/* True if the fields of a parent's post may stay (RULINGS 27, 78). The output of the list's own
 * manager was checked on its way in. A poster may have written each of several List-Ids: then only
 * a client that `sources` names counts. A field that stays for one of the recipient lists reaches
 * the members of all of them (RULINGS 20). */
static bool parent_is_credible(const struct facts *facts, const struct selection *s)
{
    const struct envelope *envelope = facts->envelope;
    if (s->rule == RULE_AMBIGUOUS && !s->list->nesting->has_sources)
        return false;
    if (s->rule != RULE_AMBIGUOUS && s->list_manager_output && s->list->select != SELECT_RECIPIENT)
        return true;
    bool may_bring = client_may_bring_parents(s->list, envelope);
    for (size_t i = 0; i < envelope->list_count && !s->list_manager_output; i++)
        may_bring = may_bring && client_may_bring_parents(envelope->lists[i].list, envelope);
    return may_bring;
}

/* Finds the first List-Id of a parent of the list. Before a list manager had the message, it must
 * be a parent of each list among the recipients (RULINGS 20). */
static void find_parent(const struct facts *facts, struct arena *arena, struct selection *s)
{
    const struct envelope *envelope = facts->envelope;
    size_t place = 0;
    struct span id;
    if (s->list->nesting == NULL || !parent_is_credible(facts, s))
        return;
    while (!s->has_parent && next_list_id(facts, arena, &place, &id)) {
        s->has_parent = list_names_parent(s->list, id);
        for (size_t i = 0; i < envelope->list_count && !s->list_manager_output; i++)
            s->has_parent = s->has_parent && list_names_parent(envelope->lists[i].list, id);
        s->parent_field = place - 1;
    }
}

/* Completes the selection of a list. */
static struct selection complete(struct selection s, const struct facts *facts, struct arena *arena)
{
    if (s.list == NULL)
        return s;
    s.sender_number = sender_number(facts->envelope->sender, s.list->address);
    find_parent(facts, arena, &s);
    s.command_response = is_command_response(facts, &s, arena);
    return s;
}

struct selection selection_make(const struct facts *facts, struct arena *arena)
{
    const struct envelope *envelope = facts->envelope;
    const struct list *list = NULL;
    struct selection s = {.rule = RULE_NONE};
    if (envelope->trusted)
        by_list_id(facts, arena, &s);
    if (envelope->trusted && s.list == NULL)
        list = list_by_sender(&facts->settings->index, envelope->sender_mailbox);
    if (list != NULL)
        choose(&s, ROLE_DISTRIBUTION, list, RULE_SENDER);
    if (envelope->trusted && s.list == NULL)
        by_command_address(facts, arena, &s);
    if (s.list == NULL)
        by_recipient(facts, &s);
    return complete(s, facts, arena);
}

struct selection selection_force(const struct facts *facts, const struct list *list,
                                 struct arena *arena)
{
    struct selection s = {.rule = RULE_NONE};
    choose(&s, ROLE_DISTRIBUTION, list, RULE_FORCED);
    s.list_manager_output = list->select != SELECT_RECIPIENT;
    return complete(s, facts, arena);
}

bool selection_from_poster(const struct selection *selection)
{
    if (selection->role == ROLE_FEED)
        return !selection->list_manager_output && !selection->removes_only;
    return selection->list->select == SELECT_RECIPIENT;
}

const char *role_name(enum role role)
{
    static const char *const names[] = {
        [ROLE_NONE] = "none", [ROLE_FEED] = "feed", [ROLE_DISTRIBUTION] = "distribution"};
    return names[role];
}

const char *selection_reason(const struct selection *selection)
{
    static const char *const reasons[] = {
        [RULE_NONE] =
            "no list: neither a trusted client's List-Id or sender nor a recipient names one",
        [RULE_FORCED] = "the list was named by --list",
        [RULE_LIST_ID] = "a trusted client, and the List-Id is the list's",
        [RULE_SENDER] = "a trusted client, and the envelope sender is the list's",
        [RULE_COMMAND_SENDER] = "a trusted client, and the sender is a command address of the list",
        [RULE_COMMAND_FROM] = "a trusted client, and From has a command address of the list",
        [RULE_RECIPIENT] = "a recipient is the list, which the MTA expands",
        [RULE_FEED] = "a recipient is the list, and its list manager has not had the message yet",
        [RULE_AMBIGUOUS] = "the List-Id fields name several lists and the sender does not decide",
    };
    if (selection->removes_only)
        return "a recipient is an address below the list's, which only its list manager "
               "understands";
    return reasons[selection->rule];
}
