/* envelope - see envelope.h */
#include "plan/envelope.h"

#include "config/lists/list.h"
#include "mail/address.h"
#include "spec/mailbox.h"

void envelope_init(struct envelope *e)
{
    *e = (struct envelope){.settings = NULL};
    arena_init(&e->arena, 1024);
}

void envelope_free(struct envelope *e)
{
    arena_free(&e->arena);
    envelope_init(e);
}

void envelope_begin(struct envelope *e, const struct settings *settings,
                    const struct client *client, struct span sender)
{
    struct arena arena = e->arena;
    arena_reset(&arena);
    *e = (struct envelope){.arena = arena, .settings = settings, .client = *client};
    e->client.daemon_name = arena_dup(&e->arena, client->daemon_name);
    e->sender = arena_dup(&e->arena, address_bare(sender));
    e->sender_mailbox = mailbox_of(e->sender, &e->arena);
    e->trusted = trust_matches(&settings->trusted, &e->client);
}

static bool is_alias_list(const struct list *list)
{
    return list->select == SELECT_RECIPIENT;
}

enum company { COMPANY_NONE, COMPANY_ALLOWED, COMPANY_DEFERRED };

/* Returns the company of a list (or NULL) that a recipient leads to, by the table in envelope.h. An
 * address below a list counts as the list. A list that came before in this kind or a stronger one
 * has none. */
static enum company find_company(const struct envelope *e, const struct list *list,
                                 enum recipient_kind kind)
{
    enum company company = COMPANY_NONE;
    for (const struct envelope_list *at = e->lists; at != NULL && list != NULL; at = at->next) {
        const struct list *other = at->list;
        int aliases = is_alias_list(list) + is_alias_list(other);
        if (other == list && at->kind >= kind)
            return COMPANY_NONE;
        if (other == list || aliases == 0 ||
            (kind <= RECIPIENT_CONTACT && at->kind <= RECIPIENT_CONTACT))
            continue;
        if (aliases < 2 || list->crosspost != CROSSPOST_FIRST ||
            other->crosspost != CROSSPOST_FIRST || !list_has_same_owner(list, other))
            company = COMPANY_DEFERRED;
        else if (company == COMPANY_NONE)
            company = COMPANY_ALLOWED;
    }
    return company;
}

/* Adds a list (or NULL), or a stronger kind in which a recipient leads to it. */
static void add_list(struct envelope *e, const struct list *list, enum recipient_kind kind)
{
    struct envelope_list **at = &e->lists;
    if (list == NULL)
        return;
    while (*at != NULL && (*at)->list != list)
        at = &(*at)->next;
    if (*at == NULL)
        *at = arena_calloc(&e->arena, 1, sizeof **at);
    (*at)->list = list;
    (*at)->kind = kind > (*at)->kind ? kind : (*at)->kind;
}

/* True if the recipient is a list that defers private recipients. */
static bool defers_private(const struct list_recipient *found)
{
    return found->kind == RECIPIENT_LIST && is_alias_list(found->list) &&
           found->list->private_recipients == PRIVATE_DEFER;
}

/* Decides about a recipient. Defers nobody who is trusted, authenticated or local: a mail program
 * would show a 452 as a failure, and a local submission would be deferred as a whole. */
static enum recipient_answer answer_rcpt(const struct envelope *e, const struct rcpt *rcpt,
                                         const struct list_recipient *found, enum company company)
{
    if (e->trusted || e->client.authenticated || e->defers_nobody || rcpt->mailer == MAILER_UNNAMED)
        return RECIPIENT_ACCEPTED;
    if (company == COMPANY_DEFERRED)
        return RECIPIENT_LIST_DEFERRED;
    bool is_private = (KIND_BIT(found->kind) & KINDS_PRIVATE) != 0;
    bool has_private = (e->kinds & KINDS_PRIVATE) != 0;
    if ((is_private && e->defers_private) || (has_private && defers_private(found)))
        return RECIPIENT_PRIVATE_DEFERRED;
    return RECIPIENT_ACCEPTED;
}

/* True if the recipient is the mailbox of the first one. Letters that are not ASCII have two forms
 * here (RULINGS 95), and may be two mailboxes at another host. */
static bool is_one_mailbox(const struct envelope *e, struct span argument, struct span mailbox)
{
    struct span given = address_bare(argument);
    return span_eq_nocase(e->first_mailbox, mailbox) &&
           ((span_is_ascii(given) && span_is_ascii(e->first_recipient)) ||
            span_eq_nocase(given, e->first_recipient));
}

enum recipient_answer envelope_add_recipient(struct envelope *e, const struct rcpt *rcpt)
{
    const struct arena before = e->arena;
    const struct recipient recipient = {mailbox_of(rcpt->argument, &e->arena),
                                        mailbox_of(rcpt->mta_address, &e->arena), rcpt->mailer};
    struct list_recipient found = recipient_find(e->settings, &recipient, &e->arena);
    enum company company = find_company(e, found.list, found.kind);
    enum company of_rival = find_company(e, found.rival, found.kind);
    company = of_rival > company ? of_rival : company;
    enum recipient_answer result = answer_rcpt(e, rcpt, &found, company);
    bool is_first = e->first_recipient.p == NULL;
    bool is_other = !is_first && !is_one_mailbox(e, rcpt->argument, recipient.mailbox);
    if (!is_first) /* no text of this recipient is kept */
        arena_rewind(&e->arena, &before);
    if (result != RECIPIENT_ACCEPTED)
        return result;
    if (is_first) {
        e->first_recipient = arena_dup(&e->arena, address_bare(rcpt->argument));
        e->first_mailbox = arena_dup(&e->arena, recipient.mailbox);
    }
    e->several_mailboxes |= is_other;
    e->kinds |= KIND_BIT(found.kind);
    e->shares_header |= company != COMPANY_NONE;
    e->defers_private |= defers_private(&found);
    add_list(e, found.list, found.kind);
    add_list(e, found.rival, found.kind);
    if (found.rival != NULL && e->contested.list == NULL)
        e->contested = found;
    return RECIPIENT_ACCEPTED;
}

bool envelope_may_be_ours(const struct envelope *e)
{
    const struct list_index *index = &e->settings->index;
    /* A trusted client may speak for a list by List-Id, sender or command address. */
    return e->lists != NULL || (e->trusted && (index->count > index->recipient_lists ||
                                               index->ways[LIST_BY_COMMAND].count > 0 ||
                                               index->ways[LIST_BY_COMMAND_FROM].count > 0));
}
