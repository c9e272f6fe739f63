/* selection_command - see selection_command.h */
#include "plan/selection_command.h"

#include "config/lists/list.h"
#include "mail/address.h"
#include "mail/fold.h"
#include "plan/recipient.h"
#include "plan/sender_number.h"
#include "spec/mailbox.h"

/* A command address that the message has. */
struct match {
    const struct list *list; /* NULL: none */
    struct span address;     /* as a mailbox */
    bool by_sender;          /* it is the envelope sender */
    bool always;             /* one in From is an "always:" address */
};

/* Reads the next address as a mailbox. Returns as address_next. */
static bool next_mailbox(struct cursor *c, struct arena *arena, struct span *mailbox)
{
    struct span address;
    bool more = address_next(c, arena, &address);
    if (more)
        *mailbox = mailbox_of(address, arena);
    return more;
}

static void take(struct match *match, const struct list *list, struct span address)
{
    if (list == NULL || match->list != NULL)
        return;
    match->list = list;
    match->address = address;
}

/* The list if it counts: with `wanted`, no other does. */
static const struct list *if_wanted(const struct list *list, const struct list *wanted)
{
    return wanted == NULL || list == wanted ? list : NULL;
}

/* A plain command address among all addresses of the first From decides before any "from:" one, and
 * that before any with a token behind "+". */
static int find_in_from(const struct facts *facts, const struct list *wanted, struct arena *arena,
                        struct match *out)
{
    const struct list_index *index = &facts->settings->index;
    struct match plain = {.list = NULL}, exact = plain, with_token = plain;
    struct span from, address;
    struct cursor c;
    from = facts_first(facts, FIELD_FROM, arena);
    c = cursor_of(from);
    while (next_mailbox(&c, arena, &address)) {
        take(&plain, if_wanted(list_by_command_address(index, address), wanted), address);
        take(&exact, if_wanted(list_by_from_address(index, address), wanted), address);
        take(&with_token, list_by_from_token(index, address, wanted), address);
        out->always |= wanted != NULL && list_always_commands(index, wanted, address);
    }
    take(out, plain.list, plain.address);
    take(out, exact.list, exact.address);
    take(out, with_token.list, with_token.address);
    return 0;
}

static int find(const struct facts *facts, const struct list *wanted, struct arena *arena,
                struct match *out)
{
    const struct list_index *index = &facts->settings->index;
    struct span sender = facts->envelope->sender_mailbox;
    *out = (struct match){.list = NULL};
    if (index->ways[LIST_BY_COMMAND].count == 0 && index->ways[LIST_BY_COMMAND_FROM].count == 0)
        return 0;
    out->list = if_wanted(list_by_command_address(index, sender), wanted);
    out->by_sender = out->list != NULL;
    return out->by_sender ? 0 : find_in_from(facts, wanted, arena, out);
}

int command_find_list(const struct facts *facts, struct arena *arena, const struct list **list)
{
    struct span sender = facts->envelope->sender_mailbox;
    struct match match;
    *list = NULL;
    if (find(facts, NULL, arena, &match) != 0)
        return -1;
    if (match.list != NULL &&
        (match.by_sender || sender.n == 0 || list_derives_sender(match.list, sender) > 0))
        *list = match.list;
    return 0;
}

/* Of To and Cc no more addresses are looked at (RULINGS 95). */
#define ADDRESSEES_MAX 1000

/* The addressees of the message. */
struct addressees {
    struct list_owners owners; /* of the list, once `asked` */
    bool asked;
    size_t count;
    bool list;
    bool owner; /* at an address that is derived from the list's */
};

/* True if the mailbox is an owner of the list. The owners are found when they are asked for. */
static int is_owner(struct addressees *to, const struct list *list, struct span mailbox,
                    struct arena *arena, bool *owner)
{
    if (!to->asked && list_owners(list, arena, &to->owners) != 0)
        return -1;
    to->asked = true;
    *owner = list_owners_have(&to->owners, mailbox);
    return 0;
}

static int add_addressee(const struct facts *facts, const struct list *list,
                         const struct recipient *recipient, struct arena *arena,
                         struct addressees *to)
{
    struct recipient_list found = recipient_find_list(facts->settings, recipient);
    if (found.list == list && !(found.by_delimiter && list_names_contact(list, recipient->mailbox)))
        to->list = true;
    else if (!to->owner && list_derives_sender(list, recipient->mailbox) > 0)
        return is_owner(to, list, recipient->mailbox, arena, &to->owner);
    return 0;
}

/* Adds the addresses of all To or Cc fields, up to the first that is the list's. */
static int add_addressees(const struct facts *facts, const struct list *list, enum field_name name,
                          struct arena *arena, struct addressees *to)
{
    const struct header *header = facts->header;
    for (size_t i = header_find(header, name, 0); i < header_count(header) && !to->list;
         i = header_find(header, name, i + 1)) {
        struct recipient recipient = {.mta_mailbox = span_of(NULL, 0)};
        struct cursor c = cursor_of(fold_text(header_field(header, i).value, arena));
        while (!to->list && to->count++ < ADDRESSEES_MAX &&
               next_mailbox(&c, arena, &recipient.mailbox)) {
            if (add_addressee(facts, list, &recipient, arena, to) != 0)
                return -1;
        }
    }
    return 0;
}

/* Where From has a command address: is it the owner, who writes to the list? Where it has none:
 * does the list manager write to the owner, from an address that all lists of the host share? */
static int is_notice(const struct facts *facts, const struct list *list, const struct match *match,
                     struct arena *arena, bool *notice)
{
    struct addressees to;
    bool by_owner = false;
    to.count = 0;
    to.asked = to.list = to.owner = false;
    *notice = true;
    if (match->list != NULL && is_owner(&to, list, match->address, arena, &by_owner) != 0)
        return -1;
    if (match->list != NULL && !by_owner)
        return 0;
    if (add_addressees(facts, list, FIELD_TO, arena, &to) != 0 ||
        add_addressees(facts, list, FIELD_CC, arena, &to) != 0)
        return -1;
    *notice = !to.list && (by_owner || to.owner);
    return 0;
}

int command_is_response(const struct facts *facts, const struct list *list, struct arena *arena,
                        bool *response)
{
    struct match match;
    *response = false;
    if (find(facts, list, arena, &match) != 0)
        return -1;
    if (!match.always && sender_number(facts->envelope->sender, list->address) > 0)
        return 0;
    *response = match.always || match.by_sender;
    return *response ? 0 : is_notice(facts, list, &match, arena, response);
}
