/* selection - the rules of mlmilter.conf(5), in the order of RULINGS 77 */
#include "plan/selection.h"

#include "mail/address.h"
#include "mail/fold.h"
#include "spec/list_id.h"

#include <string.h>

static void choose(struct selection *s, enum role role, const struct list *list,
                   enum selection_rule rule)
{
    s->role = role;
    s->list = list;
    s->rule = rule;
}

/* What the List-Id fields of a message say about lists of ours that a list manager serves. */
struct list_id_evidence {
    const struct list *first;
    bool several;
    const struct list *of_sender; /* the one that the envelope sender speaks for (RULINGS 19, 75) */
};

static void add_evidence(struct list_id_evidence *evidence, const struct list *list,
                         struct span sender)
{
    if (evidence->first == NULL)
        evidence->first = list;
    else if (list != evidence->first)
        evidence->several = true;
    if (sender_is_derived_from(sender, list->address) &&
        (evidence->of_sender == NULL || list->address.n > evidence->of_sender->address.n))
        evidence->of_sender = list;
}

static int collect_list_ids(const struct facts *facts, struct arena *arena,
                            struct list_id_evidence *evidence)
{
    const struct header *header = facts->header;

    for (size_t i = header_find(header, FIELD_LIST_ID, 0); i < header_count(header);
         i = header_find(header, FIELD_LIST_ID, i + 1)) {
        const struct list *list;
        struct span id;
        int found = list_id_read(header_field(header, i).value, arena, &id);

        if (found < 0)
            return -1;
        list = found ? list_by_id(&facts->settings->index, id) : NULL;
        if (list != NULL && list->select == SELECT_LIST_ID)
            add_evidence(evidence, list, facts->envelope->sender);
    }
    return 0;
}

/* Rule 1 and its fall-back: a poster who adds another of our ids must not switch the cleaning off.
 */
static int by_list_id(const struct facts *facts, struct arena *arena, struct selection *out)
{
    struct list_id_evidence evidence = {NULL, false, NULL};

    if (collect_list_ids(facts, arena, &evidence) != 0)
        return -1;
    if (evidence.first == NULL)
        return 0;
    if (!evidence.several)
        choose(out, ROLE_DISTRIBUTION, evidence.first, RULE_LIST_ID);
    else if (evidence.of_sender != NULL)
        choose(out, ROLE_DISTRIBUTION, evidence.of_sender, RULE_LIST_ID);
    else
        choose(out, ROLE_FEED, evidence.first, RULE_AMBIGUOUS);
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

/* The list with a command address that is the envelope sender, else one in the first From field;
 * with `wanted`, only that list counts (RULINGS 12). */
static int find_command_address(const struct facts *facts, const struct list *wanted,
                                struct arena *arena, const struct list **found)
{
    const struct list_index *index = &facts->settings->index;
    const struct list *list;
    struct span from, address;
    struct cursor c;
    int more;

    *found = NULL;
    if (index->by_command_address.count == 0)
        return 0;
    list = list_by_command_address(index, facts->envelope->sender);
    if (list != NULL && (wanted == NULL || list == wanted)) {
        *found = list;
        return 0;
    }
    if (facts_first(facts, FIELD_FROM, arena, &from) != 0)
        return -1;
    c = cursor_of(from);
    while ((more = address_next(&c, arena, &address)) == 1) {
        list = list_by_command_address(index, address);
        if (list != NULL && (wanted == NULL || list == wanted)) {
            *found = list;
            return 0;
        }
    }
    return more;
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
    return mark_command_response(facts, arena, out);
}

int selection_force(const struct facts *facts, const struct list *list, struct arena *arena,
                    struct selection *out)
{
    memset(out, 0, sizeof *out);
    choose(out, ROLE_DISTRIBUTION, list, RULE_FORCED);
    out->list_manager_output = list->select != SELECT_RECIPIENT;
    return mark_command_response(facts, arena, out);
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
