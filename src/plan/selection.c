/* selection - the rules of mlmilter.conf(5), in the order of RULINGS 77 */
#include "plan/selection.h"

#include "mail/address.h"
#include "plan/selection_list_id.h"

#include <string.h>

static void choose(struct selection *s, enum role role, const struct list *list,
                   enum selection_rule rule)
{
    s->role = role;
    s->list = list;
    s->rule = rule;
}

/* Rule 1, with what it falls back to and the exception for an alias list below a list of ours. */
static int by_list_id(const struct facts *facts, struct arena *arena, struct selection *out)
{
    struct list_id_finding found;

    if (list_id_find(facts, arena, &found) != 0)
        return -1;
    if (found.list == NULL)
        return 0;
    if (found.sublist != NULL) {
        choose(out, ROLE_DISTRIBUTION, found.sublist, RULE_RECIPIENT);
        return 0;
    }
    if (found.ambiguous)
        choose(out, ROLE_FEED, found.list, RULE_AMBIGUOUS);
    else
        choose(out, ROLE_DISTRIBUTION, found.list, RULE_LIST_ID);
    out->list_manager_output = true;
    return 0;
}

static void by_sender(const struct facts *facts, struct selection *out)
{
    const struct list *list = list_by_sender(&facts->settings->index, facts->envelope->sender);

    if (list != NULL) {
        choose(out, ROLE_DISTRIBUTION, list, RULE_SENDER);
        out->list_manager_output = true;
    }
}

/* The list if it counts: with `wanted`, no other does (RULINGS 12). */
static const struct list *if_wanted(const struct list *list, const struct list *wanted)
{
    return wanted == NULL || list == wanted ? list : NULL;
}

/* The list with a command address in the first From field. A plain one among all addresses decides
 * before any "from:" one, and that before any with a token behind "+". */
static int find_in_from(const struct facts *facts, const struct list *wanted, struct arena *arena,
                        const struct list **found)
{
    const struct list_index *index = &facts->settings->index;
    const struct list *exact = NULL, *with_token = NULL;
    struct span from, address;
    struct cursor c;
    int more;

    if (facts_first(facts, FIELD_FROM, arena, &from) != 0)
        return -1;
    c = cursor_of(from);
    while ((more = address_next(&c, arena, &address)) == 1) {
        *found = if_wanted(list_by_command_address(index, address), wanted);
        if (*found != NULL)
            return 0;
        if (exact == NULL)
            exact = if_wanted(list_by_from_address(index, address), wanted);
        if (exact == NULL && with_token == NULL)
            with_token = list_by_from_token(index, address, wanted);
    }
    *found = exact != NULL ? exact : with_token;
    return more;
}

/* The list with a command address that is the envelope sender, else one in From. */
static int find_command_address(const struct facts *facts, const struct list *wanted,
                                struct arena *arena, const struct list **found)
{
    const struct list_index *index = &facts->settings->index;

    *found = NULL;
    if (index->by_command_address.count == 0 && index->by_from_address.count == 0)
        return 0;
    *found = if_wanted(list_by_command_address(index, facts->envelope->sender), wanted);
    return *found != NULL ? 0 : find_in_from(facts, wanted, arena, found);
}

static int by_command_address(const struct facts *facts, struct arena *arena, struct selection *out)
{
    const struct list *list;

    if (find_command_address(facts, NULL, arena, &list) != 0)
        return -1;
    if (list != NULL) {
        choose(out, ROLE_DISTRIBUTION, list, RULE_COMMAND_ADDRESS);
        out->list_manager_output = true;
    }
    return 0;
}

/* The first recipient that is a list with the given kind of distribution. */
static const struct list *first_recipient_list(const struct envelope *envelope, bool mta_expands)
{
    for (size_t i = 0; i < envelope->list_count; i++) {
        const struct list_recipient *r = &envelope->lists[i];

        if (!r->deferred && (r->list->select == SELECT_RECIPIENT) == mta_expands)
            return r->list;
    }
    return NULL;
}

static void by_recipient(const struct facts *facts, struct selection *out)
{
    const struct list *list = first_recipient_list(facts->envelope, true);

    if (list != NULL) {
        choose(out, ROLE_DISTRIBUTION, list, RULE_RECIPIENT);
        return;
    }
    list = first_recipient_list(facts->envelope, false);
    if (list != NULL) {
        choose(out, ROLE_FEED, list, RULE_FEED);
        out->private_recipients = facts->envelope->private_recipients;
    }
}

/* A distribution from a command address is a command response, whatever rule found it. */
static int mark_command_response(const struct facts *facts, struct arena *arena,
                                 struct selection *out)
{
    const struct list *list;

    if (out->role != ROLE_DISTRIBUTION)
        return 0;
    if (find_command_address(facts, out->list, arena, &list) != 0)
        return -1;
    out->command_response = list != NULL;
    return 0;
}

/* May the fields of a parent's post stay (RULINGS 27, 78)? What the list's own manager sends has
 * passed the question on its way in. Where several List-Ids leave it open whose manager that was, a
 * poster may have written each of them: only a client that is named for it is believed. */
static bool parent_is_credible(const struct facts *facts, const struct selection *s)
{
    const struct nesting *nesting = s->list->nesting;

    if (s->rule == RULE_AMBIGUOUS)
        return nesting->has_sources && trust_matches(&nesting->sources, &facts->envelope->client);
    if (s->list_manager_output && s->list->select != SELECT_RECIPIENT)
        return true;
    if (!nesting->has_sources)
        return facts->envelope->trusted;
    return trust_matches(&nesting->sources, &facts->envelope->client);
}

static int find_parent(const struct facts *facts, struct arena *arena, struct selection *out)
{
    if (out->list == NULL || out->list->nesting == NULL || !parent_is_credible(facts, out))
        return 0;
    return list_id_find_parent(facts, out->list, arena, &out->has_parent, &out->parent_field);
}

/* What is asked whatever rule found the list. */
static int complete(const struct facts *facts, struct arena *arena, struct selection *out)
{
    if (find_parent(facts, arena, out) != 0)
        return -1;
    return mark_command_response(facts, arena, out);
}

int selection_make(const struct facts *facts, struct arena *arena, struct selection *out)
{
    memset(out, 0, sizeof *out);
    if (facts->envelope->trusted) {
        if (by_list_id(facts, arena, out) != 0)
            return -1;
        if (out->list == NULL)
            by_sender(facts, out);
        if (out->list == NULL && by_command_address(facts, arena, out) != 0)
            return -1;
    }
    if (out->list == NULL)
        by_recipient(facts, out);
    return complete(facts, arena, out);
}

int selection_force(const struct facts *facts, const struct list *list, struct arena *arena,
                    struct selection *out)
{
    memset(out, 0, sizeof *out);
    choose(out, ROLE_DISTRIBUTION, list, RULE_FORCED);
    out->list_manager_output = list->select != SELECT_RECIPIENT;
    return complete(facts, arena, out);
}

bool selection_from_poster(const struct selection *selection)
{
    if (selection->role == ROLE_FEED)
        return !selection->list_manager_output;
    return selection->list->select == SELECT_RECIPIENT;
}

const char *role_name(enum role role)
{
    switch (role) {
    case ROLE_FEED:
        return "feed";
    case ROLE_DISTRIBUTION:
        return "distribution";
    case ROLE_NONE:
        break;
    }
    return "none";
}

const char *selection_reason(const struct selection *selection)
{
    switch (selection->rule) {
    case RULE_FORCED:
        return "the list was named by --list";
    case RULE_LIST_ID:
        return "a trusted client, and the List-Id is the list's";
    case RULE_SENDER:
        return "a trusted client, and the envelope sender is the list's";
    case RULE_COMMAND_ADDRESS:
        return "a trusted client, and the sender is a command address of the list";
    case RULE_RECIPIENT:
        return "a recipient is the list, which the MTA expands";
    case RULE_FEED:
        return "a recipient is the list, and its list manager has not had the message yet";
    case RULE_AMBIGUOUS:
        return "the List-Id fields name several lists and the sender does not decide";
    case RULE_NONE:
        break;
    }
    return "no list: neither List-Id or sender of a trusted client nor a recipient names one";
}
