/* envelope - see envelope.h */
#include "plan/envelope.h"

#include "config/lists/list.h"
#include "mail/address.h"
#include "plan/company.h"
#include "spec/mailbox.h"

#define ARENA_CHUNK 1024

void envelope_init(struct envelope *e)
{
    *e = (struct envelope){.settings = NULL};
    arena_init(&e->arena, ARENA_CHUNK);
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
    *e = (struct envelope){
        .arena = arena, .settings = settings, .client = *client, .alias_lists_share = true};
    e->client.daemon_name = arena_dup(&e->arena, client->daemon_name);
    e->sender = arena_dup(&e->arena, address_bare(sender));
    e->sender_mailbox = mailbox_of(e->sender, &e->arena);
    e->trusted = trust_matches(&settings->trusted, &e->client);
}

/* True if the recipient is an alias list that wants no private recipient beside it. */
static bool defers_private(const struct list_recipient *found)
{
    return found->kind == RECIPIENT_LIST && found->list->select == SELECT_RECIPIENT &&
           found->list->private_recipients == PRIVATE_DEFER;
}

/* True if mail for the recipient must not pass for a list's. A contact is a person, who may forward
 * it; that of an alias list counts as neither, as all owned fields are removed (RULINGS 112). */
static bool is_private(const struct list_recipient *found)
{
    return found->list == NULL ||
           (found->kind == RECIPIENT_CONTACT && found->list->select != SELECT_RECIPIENT);
}

/* Decides about a recipient. Defers nobody who is trusted, authenticated or local: a mail program
 * would show a 452 as a failure, and a local submission would be deferred as a whole. */
static enum recipient_answer answer_recipient(const struct envelope *e, const struct rcpt *rcpt,
                                              const struct list_recipient *found,
                                              enum company company)
{
    if (e->trusted || e->client.authenticated || e->defers_nobody || rcpt->mailer == MAILER_UNNAMED)
        return RECIPIENT_ACCEPTED;
    if (company == COMPANY_DEFERRED)
        return RECIPIENT_LIST_DEFERRED;
    bool defers = is_private(found) ? e->defers_private : e->has_private && defers_private(found);
    return defers ? RECIPIENT_PRIVATE_DEFERRED : RECIPIENT_ACCEPTED;
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
    const struct envelope_list *last = e->last_list;
    const struct recipient recipient = {mailbox_of(rcpt->argument, &e->arena),
                                        mailbox_of(rcpt->mta_address, &e->arena), rcpt->mailer};
    struct list_recipient found = recipient_find(e->settings, &recipient, &e->arena);
    enum company company =
        found.list != NULL ? company_find(e, found.list, found.kind) : COMPANY_NONE;
    if (found.rival != NULL && company != COMPANY_DEFERRED) {
        enum company of_rival = company_find(e, found.rival, found.kind);
        company = of_rival > company ? of_rival : company;
    }
    enum recipient_answer result = answer_recipient(e, rcpt, &found, company);
    if (result != RECIPIENT_ACCEPTED) {
        arena_rewind(&e->arena, &before);
        return result;
    }
    e->kinds[found.kind]++;
    e->has_private |= is_private(&found);
    e->shares_header |= company != COMPANY_NONE;
    e->defers_private |= defers_private(&found);
    if (found.list != NULL)
        company_add(e, found.list, found.kind);
    if (found.rival != NULL)
        company_add(e, found.rival, found.kind);
    if (found.rival != NULL && e->contested == NULL) {
        e->contested = found.list;
        e->rival = found.rival;
    }
    bool is_first = e->first_recipient.p == NULL;
    if (is_first) {
        e->first_recipient = arena_dup(&e->arena, address_bare(rcpt->argument));
        e->first_mailbox = arena_dup(&e->arena, recipient.mailbox);
    } else {
        e->several_mailboxes |= !is_one_mailbox(e, rcpt->argument, recipient.mailbox);
    }
    if (!is_first && e->last_list == last) /* nothing is kept of this recipient */
        arena_rewind(&e->arena, &before);
    return RECIPIENT_ACCEPTED;
}

bool envelope_may_be_ours(const struct envelope *e)
{
    const struct list_index *index = &e->settings->index;
    /* A trusted client may speak for a list by List-Id, sender or command address. */
    bool may_speak = index->count > index->recipient_lists ||
                     index->ways[LIST_BY_COMMAND].count > 0 ||
                     index->ways[LIST_BY_COMMAND_FROM].count > 0;
    return e->lists != NULL || (e->trusted && may_speak);
}
