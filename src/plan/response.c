/* response - see response.h: answers of a list manager to one person (RULINGS 12) */
#include "plan/response.h"

#include "config/lists/list.h"
#include "mail/address.h"
#include "spec/mailbox.h"

#define ADDRESSEES_MAX 1000 /* addresses that are read from To and Cc together (RULINGS 117) */

const struct list *response_list_by_sender(const struct facts *facts)
{
    return list_get(&facts->settings->index, LIST_BY_COMMAND, facts->envelope->sender_mailbox);
}

/* A command address in From. */
struct match {
    const struct list *list; /* NULL: none */
    struct span address;     /* as a mailbox */
    bool always;             /* an address in From is an "always:" address of the wanted list */
};

/* The forms of a command address, the first that fits counts: plain, with "from:", with a token. */
enum form { PLAIN, OF_FROM, WITH_TOKEN, FORMS };

/* Returns the list that has the address as a command address, or NULL. */
static const struct list *list_of_command(const struct list_index *index, enum form form,
                                          struct span address, const struct list *wanted)
{
    if (form == WITH_TOKEN)
        return list_by_token(index, LIST_BY_COMMAND_FROM, address, wanted);
    const struct list *list =
        list_get(index, form == PLAIN ? LIST_BY_COMMAND : LIST_BY_COMMAND_FROM, address);
    return wanted == NULL || list == wanted ? list : NULL;
}

/* Finds a command address of the wanted list (NULL: of any) in the first From. */
static struct match find_in_from(const struct facts *facts, const struct list *wanted,
                                 struct arena *arena)
{
    const struct list_index *index = &facts->settings->index;
    struct match match = {.list = NULL};
    int best = FORMS;
    if (index->ways[LIST_BY_COMMAND].count + index->ways[LIST_BY_COMMAND_FROM].count == 0)
        return match;
    struct cursor c = cursor_of(header_first(facts->header, FIELD_FROM, arena));
    struct span address;
    while (mailbox_next(&c, arena, &address)) {
        match.always |= wanted != NULL && list_always_commands(index, wanted, address);
        for (int form = PLAIN; form < best; form++) {
            const struct list *list = list_of_command(index, (enum form)form, address, wanted);
            if (list == NULL)
                continue;
            match.list = list;
            match.address = address;
            best = form;
        }
    }
    return match;
}

const struct list *response_list_by_from(const struct facts *facts, struct arena *arena)
{
    struct span sender = facts->envelope->sender_mailbox;
    const struct list *list = find_in_from(facts, NULL, arena).list;
    bool is_lists = list != NULL && (sender.n == 0 || list_derives_sender(list, sender) > 0);
    return is_lists ? list : NULL;
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

/* True if the address is the list's: also dev+x@, unless the list names it as a contact. */
static bool is_of_list(const struct facts *facts, const struct addressees *to, struct span mailbox)
{
    const struct recipient recipient = {.mailbox = mailbox, .mta_mailbox = span_of(NULL, 0)};
    struct list_recipient found = recipient_find(facts->settings, &recipient, to->arena);
    if (found.list != to->list || found.kind != RECIPIENT_BELOW)
        return found.list == to->list && found.kind == RECIPIENT_LIST;
    struct address inner = recipient_address(mailbox, to->arena);
    return list_contact_at(&facts->settings->index, inner.local, inner.domain) != to->list;
}

/* Reads the addresses in all fields of that name, up to the first one of the list. */
static void add_addressees(const struct facts *facts, enum field_name name, struct addressees *to)
{
    const struct header *header = facts->header;
    struct span mailbox;
    for (size_t i = header_find(header, name, 0); i < header_count(header) && !to->to_list;
         i = header_find(header, name, i + 1)) {
        struct cursor c = cursor_of(header_text(header, i, to->arena));
        while (!to->to_list && to->count < ADDRESSEES_MAX &&
               mailbox_next(&c, to->arena, &mailbox)) {
            to->count++;
            to->to_list = is_of_list(facts, to, mailbox);
            if (!to->to_list && !to->to_owner && list_derives_sender(to->list, mailbox) > 0)
                to->to_owner = is_owner(to, mailbox);
        }
    }
}

/* True if a list manager's distribution is addressed to the owner, and not to the list. Mailman
 * sends such notices for all lists of a host from one address. */
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

/* True if a command address sent it, or the list's own sender without a post's number. A number
 * makes it a post, unless an "always:" address is in From. */
bool response_is(const struct facts *facts, const struct selection *s, struct arena *arena)
{
    if (s->rule == RULE_COMMAND_SENDER || s->rule == RULE_COMMAND_FROM)
        return true;
    if (s->role != ROLE_DISTRIBUTION || s->origin != ORIGIN_MANAGER)
        return false;
    if (response_list_by_sender(facts) == s->list)
        return s->sender_number == 0;
    struct match match = find_in_from(facts, s->list, arena);
    if (match.always || s->sender_number > 0)
        return match.always;
    return is_notice(facts, s->list, &match, arena);
}
