/* selection - the rules of mlmilter.conf(5), in the order of RULINGS 77 */
#include "plan/selection.h"

#include "config/lists/list.h"
#include "mail/address.h"
#include "mail/fold.h"
#include "spec/list_id.h"
#include "spec/mailbox.h"
#include "text/ascii.h"

/* Most lists of ours that are read from the List-Ids of a message (RULINGS 97). */
#define LISTS_MAX 16

/* Most addresses that are read from To and Cc (RULINGS 95). */
#define ADDRESSEES_MAX 1000

/* ---- rule 1: List-Id ---- */

bool list_names_parent(const struct list *list, struct span id)
{
    const struct nesting *nesting = list->nesting;
    for (size_t i = 0; nesting != NULL && i < nesting->parent_count; i++)
        if (span_eq_nocase(nesting->parents[i], id))
            return true;
    return false;
}

/* The lists of the List-Id fields, each once, in the order of the fields. */
struct named_lists {
    const struct list *lists[LISTS_MAX];
    size_t count;
};

static void add_list(struct named_lists *named, const struct list *list)
{
    for (size_t i = 0; i < named->count; i++)
        if (named->lists[i] == list)
            return;
    if (named->count < LISTS_MAX)
        named->lists[named->count++] = list;
}

static struct named_lists named_lists(const struct facts *facts, struct arena *arena)
{
    const struct header *header = facts->header;
    struct named_lists named = {.count = 0};
    for (size_t i = header_find(header, FIELD_LIST_ID, 0); i < header_count(header);
         i = header_find(header, FIELD_LIST_ID, i + 1)) {
        const struct list *list = NULL;
        struct span id;
        if (list_id_read(header_field(header, i).value, arena, &id))
            list = list_by_id(&facts->settings->index, id);
        if (list != NULL && list->select == SELECT_LIST_ID)
            add_list(&named, list);
    }
    return named;
}

/* True if another of the lists is below this one. Two lists that name each other prove nothing
 * about each other (RULINGS 78). */
static bool is_parent_of_another(const struct named_lists *named, const struct list *list)
{
    for (size_t i = 0; i < named->count; i++) {
        const struct list *other = named->lists[i];
        if (other != list && list_names_parent(other, list->id) &&
            !list_names_parent(list, other->id))
            return true;
    }
    return false;
}

/* Removes the lists that are parents of others (RULINGS 19), unless all are, in a circle. */
static void drop_parents(struct named_lists *named)
{
    struct named_lists left = {.count = 0};
    for (size_t i = 0; i < named->count; i++)
        if (!is_parent_of_another(named, named->lists[i]))
            left.lists[left.count++] = named->lists[i];
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
        if (length > longest) {
            longest = length;
            best = named->lists[i];
        }
    }
    return best;
}

/* Returns the alias list that is the only recipient, if it is below the list: the milter sees a
 * parent's copy for all of its members once (RULINGS 14). */
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
    if (named.count > 1)
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

/* Takes the list if the match has none yet. wanted: no other list counts (NULL: every list). */
static void take(struct match *match, const struct list *list, const struct list *wanted,
                 struct span address)
{
    if (list == NULL || match->list != NULL || (wanted != NULL && list != wanted))
        return;
    match->list = list;
    match->address = address;
}

/* Finds a command address in the first From. A plain one comes before a "from:" one, and that
 * before one with a token after "+". */
static void find_in_from(const struct facts *facts, const struct list *wanted, struct arena *arena,
                         struct match *out)
{
    const struct list_index *index = &facts->settings->index;
    struct match exact = {.list = NULL}, with_token = exact;
    struct cursor c = cursor_of(facts_first(facts, FIELD_FROM, arena));
    struct span address;
    while (mailbox_next(&c, arena, &address)) {
        take(out, list_by_command_address(index, address), wanted, address);
        take(&exact, list_by_from_address(index, address), wanted, address);
        take(&with_token, list_by_from_token(index, address, wanted), NULL, address);
        out->always |= wanted != NULL && list_always_commands(index, wanted, address);
    }
    take(out, exact.list, NULL, exact.address);
    take(out, with_token.list, NULL, with_token.address);
}

static struct match find_command_address(const struct facts *facts, const struct list *wanted,
                                         struct arena *arena)
{
    const struct list_index *index = &facts->settings->index;
    struct span sender = facts->envelope->sender_mailbox;
    struct match match = {.list = NULL};
    if (index->ways[LIST_BY_COMMAND].count == 0 && index->ways[LIST_BY_COMMAND_FROM].count == 0)
        return match;
    take(&match, list_by_command_address(index, sender), wanted, sender);
    match.by_sender = match.list != NULL;
    if (!match.by_sender)
        find_in_from(facts, wanted, arena, &match);
    return match;
}

/* Chooses the list that the message is an answer of. Not if a recipient is a list of ours: such
 * mail is no answer to a person. An address in From counts if the envelope sender is null or
 * derived from an address of the list. */
static void by_command_address(const struct facts *facts, struct arena *arena,
                               struct selection *out)
{
    struct span sender = facts->envelope->sender_mailbox;
    if (facts->envelope->list_count > 0)
        return;
    struct match match = find_command_address(facts, NULL, arena);
    if (match.list == NULL)
        return;
    if (match.by_sender)
        choose(out, ROLE_DISTRIBUTION, match.list, RULE_COMMAND_SENDER);
    else if (sender.n == 0 || list_derives_sender(match.list, sender) > 0)
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

static void add_addressee(const struct facts *facts, const struct recipient *recipient,
                          struct addressees *to)
{
    struct list_recipient found = recipient_find_list(facts->settings, recipient);
    if (found.list == to->list &&
        !(found.below_list && list_names_contact(to->list, recipient->mailbox)))
        to->to_list = true;
    else if (!to->to_owner && list_derives_sender(to->list, recipient->mailbox) > 0)
        to->to_owner = is_owner(to, recipient->mailbox);
}

/* Adds the addresses of all fields of that name, up to the first that is the list's. */
static void add_addressees(const struct facts *facts, enum field_name name, struct addressees *to)
{
    const struct header *header = facts->header;
    for (size_t i = header_find(header, name, 0); i < header_count(header) && !to->to_list;
         i = header_find(header, name, i + 1)) {
        struct cursor c = cursor_of(facts_text(facts, i, to->arena));
        struct recipient recipient = {.mta_mailbox = span_of(NULL, 0)};
        while (!to->to_list && to->count++ < ADDRESSEES_MAX &&
               mailbox_next(&c, to->arena, &recipient.mailbox))
            add_addressee(facts, &recipient, to);
    }
}

/* True if a distribution that a list manager made is addressed to the owner, and not to the list:
 * from the owner's command address, or from an address that all lists of the host share, as
 * Mailman's notices are. */
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

/* True if a distribution is an answer. What carries a post's number is none, unless an "always:"
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

/* clang-format off */
/* sender = local-part-of-address ( "+" / "-" ) "bounces-" 1*DIGIT [ "-" anything ] "@" anything */
/* clang-format on */
uint64_t sender_number(struct span sender, struct span address)
{
    static const struct span bounces = {"bounces-", 8};
    struct span local = address_local(sender), list = address_local(address);
    if (list.n == 0 || local.n <= list.n || !span_starts_nocase(local, list) ||
        (local.p[list.n] != '+' && local.p[list.n] != '-'))
        return 0;
    struct span rest = span_sub(local, list.n + 1, local.n);
    if (!span_starts_nocase(rest, bounces))
        return 0;
    rest = span_sub(rest, bounces.n, rest.n);
    uint64_t number = 0;
    size_t digits = 0;
    for (; digits < rest.n && ascii_is_digit(rest.p[digits]); digits++) {
        number = number * 10 + (uint64_t)(rest.p[digits] - '0');
        if (number > POST_NUMBER_MAX)
            return 0;
    }
    return digits == 0 || (digits < rest.n && rest.p[digits] != '-') ? 0 : number;
}

/* ---- recipients ---- */

enum recipient_kind { ALIAS_LIST, MANAGERS_LIST, BELOW_LIST };

/* Returns the first recipient of that kind, or NULL. */
static const struct list *first_recipient_list(const struct envelope *envelope,
                                               enum recipient_kind kind)
{
    for (size_t i = 0; i < envelope->list_count; i++) {
        const struct list_recipient *r = &envelope->lists[i];
        enum recipient_kind found = r->list->select == SELECT_RECIPIENT ? ALIAS_LIST
                                    : r->below_list                     ? BELOW_LIST
                                                                        : MANAGERS_LIST;
        if (found == kind)
            return r->list;
    }
    return NULL;
}

static void by_recipient(const struct facts *facts, struct selection *out)
{
    const struct list *list = first_recipient_list(facts->envelope, ALIAS_LIST);
    if (list != NULL) {
        choose(out, ROLE_DISTRIBUTION, list, RULE_RECIPIENT);
        return;
    }
    list = first_recipient_list(facts->envelope, MANAGERS_LIST);
    if (list == NULL) {
        list = first_recipient_list(facts->envelope, BELOW_LIST);
        out->removes_only = list != NULL;
    }
    if (list != NULL) {
        choose(out, ROLE_FEED, list, RULE_FEED);
        out->private_recipients = facts->envelope->private_recipients;
    }
}

/* ---- parents ---- */

/* True if the client may bring a parent's post to the list. */
static bool client_may_bring_parents(const struct list *list, const struct envelope *envelope)
{
    if (list->nesting == NULL)
        return false;
    return list->nesting->has_sources ? trust_matches(&list->nesting->sources, &envelope->client)
                                      : envelope->trusted;
}

/* A field that stays for one of the lists reaches the members of all of them (RULINGS 20). */
static bool client_may_bring_all_parents(const struct envelope *envelope)
{
    for (size_t i = 0; i < envelope->list_count; i++)
        if (!client_may_bring_parents(envelope->lists[i].list, envelope))
            return false;
    return true;
}

/* True if the fields of a parent's post may stay (RULINGS 27, 78). The output of the list's own
 * manager was checked on its way in. Where several List-Ids leave it open whose manager that was, a
 * poster may have written each of them: only a client that `sources` names counts. */
static bool parent_is_credible(const struct facts *facts, const struct selection *s)
{
    const struct nesting *nesting = s->list->nesting;
    if (s->rule == RULE_AMBIGUOUS)
        return nesting->has_sources && trust_matches(&nesting->sources, &facts->envelope->client);
    if (s->list_manager_output && s->list->select != SELECT_RECIPIENT)
        return true;
    return client_may_bring_parents(s->list, facts->envelope) &&
           (s->list_manager_output || client_may_bring_all_parents(facts->envelope));
}

static bool all_name_parent(const struct envelope *envelope, struct span id)
{
    for (size_t i = 0; i < envelope->list_count; i++)
        if (!list_names_parent(envelope->lists[i].list, id))
            return false;
    return true;
}

/* Finds the first List-Id of a parent of the list; before a list manager had the message it must be
 * a parent of each list among the recipients (RULINGS 20). */
static void find_parent(const struct facts *facts, struct arena *arena, struct selection *s)
{
    const struct header *header = facts->header;
    if (s->list->nesting == NULL || !parent_is_credible(facts, s))
        return;
    for (size_t i = header_find(header, FIELD_LIST_ID, 0);
         i < header_count(header) && !s->has_parent;
         i = header_find(header, FIELD_LIST_ID, i + 1)) {
        struct span id;
        s->has_parent = list_id_read(header_field(header, i).value, arena, &id) &&
                        list_names_parent(s->list, id) &&
                        (s->list_manager_output || all_name_parent(facts->envelope, id));
        s->parent_field = i;
    }
}

/* ---- all rules ---- */

static void complete(const struct facts *facts, struct arena *arena, struct selection *out)
{
    if (out->list == NULL)
        return;
    out->sender_number = sender_number(facts->envelope->sender, out->list->address);
    find_parent(facts, arena, out);
    out->command_response = is_command_response(facts, out, arena);
}

struct selection selection_make(const struct facts *facts, struct arena *arena)
{
    const struct envelope *envelope = facts->envelope;
    struct selection s = {.rule = RULE_NONE};
    if (envelope->trusted) {
        by_list_id(facts, arena, &s);
        const struct list *list =
            s.list == NULL ? list_by_sender(&facts->settings->index, envelope->sender_mailbox)
                           : NULL;
        if (list != NULL)
            choose(&s, ROLE_DISTRIBUTION, list, RULE_SENDER);
        if (s.list == NULL)
            by_command_address(facts, arena, &s);
    }
    if (s.list == NULL)
        by_recipient(facts, &s);
    complete(facts, arena, &s);
    return s;
}

struct selection selection_force(const struct facts *facts, const struct list *list,
                                 struct arena *arena)
{
    struct selection s = {.rule = RULE_NONE};
    choose(&s, ROLE_DISTRIBUTION, list, RULE_FORCED);
    s.list_manager_output = list->select != SELECT_RECIPIENT;
    complete(facts, arena, &s);
    return s;
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
            "no list: neither List-Id or sender of a trusted client nor a recipient names one",
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
