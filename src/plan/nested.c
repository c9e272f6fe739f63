/* nested - see nested.h: lists that are subscribed to lists (RULINGS 14, 19, 20, 27, 78) */
#include "plan/nested.h"

#include "config/lists/list.h"
#include "mail/fold.h"
#include "spec/list_id.h"

#define NAMED_LISTS_MAX 16 /* configured lists that are read from List-Ids (RULINGS 97) */

/* The select = "list-id" lists in the List-Id fields, each once, in the order of the fields. */
struct named_lists {
    const struct list *lists[NAMED_LISTS_MAX];
    size_t count;
};

static void find_named_lists(const struct facts *facts, struct named_lists *named,
                             struct arena *arena)
{
    const struct header *header = facts->header;
    struct span id;
    for (size_t at = header_find(header, FIELD_LIST_ID, 0);
         at < header_count(header) && named->count < NAMED_LISTS_MAX;
         at = header_find(header, FIELD_LIST_ID, at + 1)) {
        const struct list *list = NULL;
        if (list_id_read(header_field(header, at).value, arena, &id))
            list = list_get(&facts->settings->index, LIST_BY_ID, id);
        bool is_new = list != NULL && list->select == SELECT_LIST_ID;
        for (size_t i = 0; i < named->count; i++)
            is_new = is_new && named->lists[i] != list;
        if (is_new)
            named->lists[named->count++] = list;
    }
}

/* True if a list of the others names this one as its parent, and not the other way round, too. */
static bool is_parent_of_one(const struct list *list, const struct named_lists *others)
{
    bool is_parent = false;
    for (size_t i = 0; i < others->count; i++)
        is_parent |= list_names_parent(others->lists[i], list->id) &&
                     !list_names_parent(list, others->lists[i]->id);
    return is_parent;
}

static bool is_resent(const struct facts *facts, const struct named_lists *named)
{
    const struct envelope *envelope = facts->envelope;
    for (size_t i = 0; i < named->count; i++) {
        const struct list *list = named->lists[i];
        if ((list->mailbox.n == 0 && list->sender_count == 0) ||
            list_has_sender(&facts->settings->index, list, envelope->sender_mailbox))
            return false;
    }
    return named->count > 0 && envelope->sender.n > 0 &&
           (envelope->kinds & ~KIND_BIT(RECIPIENT_LIST)) == 0;
}

struct list_ids nested_list_ids(const struct facts *facts, struct arena *arena)
{
    const struct list_index *index = &facts->settings->index;
    const struct span sender = facts->envelope->sender_mailbox;
    struct named_lists named = {.count = 0}, lowest = {.count = 0};
    size_t longest = 0;
    find_named_lists(facts, &named, arena);
    for (size_t i = 0; i < named.count; i++)
        if (!is_parent_of_one(named.lists[i], &named))
            lowest.lists[lowest.count++] = named.lists[i];
    if (lowest.count == 0) /* each is a parent, in a circle */
        lowest = named;
    struct list_ids ids = {.first = lowest.lists[0], .is_resent = is_resent(facts, &named)};
    ids.list = lowest.count == 1 ? ids.first : NULL;
    for (size_t i = 0; i < lowest.count && lowest.count > 1; i++) {
        size_t length = list_derives_sender(lowest.lists[i], sender);
        if (length <= longest || list_sender_is_others(index, lowest.lists[i], sender))
            continue;
        ids.list = lowest.lists[i];
        longest = length;
    }
    return ids;
}

const struct list *nested_only_sublist(const struct envelope *envelope, const struct list *parent)
{
    const struct envelope_list *only = envelope->lists;
    if (only == NULL || only->next != NULL || only->kind != RECIPIENT_LIST ||
        envelope->several_mailboxes || only->list->select != SELECT_RECIPIENT)
        return NULL;
    return list_names_parent(only->list, parent->id) ? only->list : NULL;
}

/* True if the client may bring a parent's post to the list. */
static bool client_may_bring_parents(const struct list *list, const struct envelope *envelope)
{
    const struct nesting *nesting = list->nesting; /* a list without it names no parent */
    return nesting != NULL && nesting->has_sources
               ? trust_matches(&nesting->sources, &envelope->client)
               : envelope->trusted;
}

/* True if the message may come from a parent, whatever List-Id it has (RULINGS 27, 78). A list
 * manager's copy needs no check: the post got it on its way in. With List-Ids of several lists a
 * poster may have written each, so only a client of `parent_sources` is believed. Else each list
 * among the recipients has to believe the client, as the fields reach the members of all (RULINGS
 * 20). */
static bool parent_is_credible(const struct facts *facts, const struct selection *s)
{
    const struct envelope *envelope = facts->envelope;
    if (s->rule == RULE_CONTESTED || s->rule == RULE_CONTACT) /* all owned fields go */
        return false;
    if (s->rule == RULE_AMBIGUOUS)
        return s->list->nesting->has_sources && client_may_bring_parents(s->list, envelope);
    if (s->origin == ORIGIN_MANAGER)
        return true;
    bool may_bring = client_may_bring_parents(s->list, envelope);
    for (const struct envelope_list *other = envelope->lists; other != NULL && may_bring;
         other = other->next)
        may_bring = client_may_bring_parents(other->list, envelope);
    return may_bring;
}

/* True if the id is a parent of the list, and before a list manager had the message of each list
 * among the recipients (RULINGS 20). */
static bool is_parent(const struct facts *facts, const struct selection *s, struct span id)
{
    bool is_named = list_names_parent(s->list, id);
    const struct envelope_list *other = s->origin != ORIGIN_MANAGER ? facts->envelope->lists : NULL;
    for (; other != NULL && is_named; other = other->next)
        is_named = list_names_parent(other->list, id);
    return is_named;
}

void nested_find_parent(const struct facts *facts, struct selection *s, struct arena *arena)
{
    const struct header *header = facts->header;
    struct span id;
    if (s->list->nesting == NULL || !parent_is_credible(facts, s))
        return;
    for (size_t at = header_find(header, FIELD_LIST_ID, 0);
         at < header_count(header) && !s->has_parent;
         at = header_find(header, FIELD_LIST_ID, at + 1)) {
        struct span value = header_field(header, at).value;
        /* A reader that ends the line at a CR inside sees another id (RULINGS 128). */
        s->has_parent =
            !fold_has_stray_cr(value) && list_id_read(value, arena, &id) && is_parent(facts, s, id);
        s->parent_field = at;
    }
}
