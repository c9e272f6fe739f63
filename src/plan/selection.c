/* selection - the rules of mlmilter.conf(5), in the order of RULINGS 77 */
#include "plan/selection.h"

#include "plan/selection_command.h"
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
    const struct list *list =
        list_by_sender(&facts->settings->index, facts->envelope->sender_mailbox);
    if (list != NULL) {
        choose(out, ROLE_DISTRIBUTION, list, RULE_SENDER);
        out->list_manager_output = true;
    }
}

/* Not where a recipient is a list of ours: what is addressed to a list is no answer to a person. */
static int by_command_address(const struct facts *facts, struct arena *arena, struct selection *out)
{
    const struct list *list;
    if (facts->envelope->list_count > 0)
        return 0;
    if (command_find_list(facts, arena, &list) != 0)
        return -1;
    if (list != NULL) {
        choose(out, ROLE_DISTRIBUTION, list, RULE_COMMAND_ADDRESS);
        out->list_manager_output = true;
    }
    return 0;
}

enum found { FOUND_ALIAS_LIST, FOUND_WHOLE, FOUND_BY_DELIMITER };

/* The first recipient that is a list of that kind: an alias list, or a list manager's list by its
 * whole address or only by the part before a delimiter. */
static const struct list *first_recipient_list(const struct envelope *envelope, enum found kind)
{
    for (size_t i = 0; i < envelope->list_count; i++) {
        const struct list_recipient *r = &envelope->lists[i];
        enum found found = r->by_delimiter ? FOUND_BY_DELIMITER : FOUND_WHOLE;
        if ((r->list->select == SELECT_RECIPIENT ? FOUND_ALIAS_LIST : found) == kind)
            return r->list;
    }
    return NULL;
}

static void by_recipient(const struct facts *facts, struct selection *out)
{
    const struct list *list = first_recipient_list(facts->envelope, FOUND_ALIAS_LIST);
    if (list != NULL) {
        choose(out, ROLE_DISTRIBUTION, list, RULE_RECIPIENT);
        return;
    }
    list = first_recipient_list(facts->envelope, FOUND_WHOLE);
    if (list == NULL) {
        list = first_recipient_list(facts->envelope, FOUND_BY_DELIMITER);
        out->removes_only = list != NULL;
    }
    if (list != NULL) {
        choose(out, ROLE_FEED, list, RULE_FEED);
        out->private_recipients = facts->envelope->private_recipients;
    }
}

/* A distribution that its list manager made may be an answer, too (RULINGS 12). */
static int mark_command_response(const struct facts *facts, struct arena *arena,
                                 struct selection *out)
{
    out->command_response = out->rule == RULE_COMMAND_ADDRESS;
    if (out->role != ROLE_DISTRIBUTION || out->command_response || !out->list_manager_output)
        return 0;
    return command_is_response(facts, out->list, arena, &out->command_response);
}

static bool believes(const struct list *list, const struct envelope *envelope)
{
    if (list->nesting == NULL)
        return false;
    if (!list->nesting->has_sources)
        return envelope->trusted;
    return trust_matches(&list->nesting->sources, &envelope->client);
}

/* A field that stays for one of the lists reaches the members of all of them (RULINGS 20). */
static bool all_believe(const struct envelope *envelope)
{
    for (size_t i = 0; i < envelope->list_count; i++) {
        if (!believes(envelope->lists[i].list, envelope))
            return false;
    }
    return true;
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
    return believes(s->list, facts->envelope) &&
           (s->list_manager_output || all_believe(facts->envelope));
}

static int find_parent(const struct facts *facts, struct arena *arena, struct selection *out)
{
    if (out->list == NULL || out->list->nesting == NULL || !parent_is_credible(facts, out))
        return 0;
    return list_id_find_parent(facts, out->list, !out->list_manager_output, arena, &out->has_parent,
                               &out->parent_field);
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
        return !selection->list_manager_output && !selection->removes_only;
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
        return selection->removes_only
                   ? "a recipient is an address below the list's, which only its list manager "
                     "understands"
                   : "a recipient is the list, and its list manager has not had the message yet";
    case RULE_AMBIGUOUS:
        return "the List-Id fields name several lists and the sender does not decide";
    case RULE_NONE:
        break;
    }
    return "no list: neither List-Id or sender of a trusted client nor a recipient names one";
}
