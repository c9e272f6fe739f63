/* envelope - the transaction as the MTA tells it, and which recipients are lists of ours */
#include "plan/envelope.h"

#include "mail/address.h"
#include "plan/recipient.h"
#include "spec/mailbox.h"

#include <string.h>

#define ARENA_CHUNK 1024

void envelope_init(struct envelope *e)
{
    memset(e, 0, sizeof *e);
    arena_init(&e->arena, ARENA_CHUNK);
}

void envelope_free(struct envelope *e)
{
    arena_free(&e->arena);
    envelope_init(e);
}

int envelope_begin(struct envelope *e, const struct settings *settings, const struct client *client,
                   struct span sender)
{
    struct arena arena = e->arena;
    arena_reset(&arena);
    memset(e, 0, sizeof *e);
    e->arena = arena;
    e->settings = settings;
    e->client = *client;
    e->client.daemon_name = arena_dup(&e->arena, client->daemon_name);
    e->sender = arena_dup(&e->arena, address_bare(sender));
    e->sender_mailbox = mailbox_of(e->sender, &e->arena);
    e->trusted = trust_matches(&settings->trusted, &e->client);
    return 0;
}

/* The lists among the recipients, one more than before. */
static struct list_recipient *new_list_recipient(struct envelope *e)
{
    if (e->list_count == e->list_capacity) {
        size_t capacity = e->list_capacity == 0 ? 4 : 2 * e->list_capacity;
        struct list_recipient *grown = arena_calloc(&e->arena, capacity, sizeof *grown);
        if (grown == NULL)
            return NULL;
        if (e->list_count > 0)
            memcpy(grown, e->lists, e->list_count * sizeof *grown);
        e->lists = grown;
        e->list_capacity = capacity;
    }
    return &e->lists[e->list_count++];
}

static struct list_recipient *find_list(const struct envelope *e, const struct list *list)
{
    for (size_t i = 0; i < e->list_count; i++) {
        if (e->lists[i].list == list)
            return &e->lists[i];
    }
    return NULL;
}

/* Would list share the transaction with another one although a header change hits both (RULINGS
 * 22)? A list manager's list that a delimiter led to is out of it: nobody knows what it is. */
static bool shares_with_list(const struct envelope *e, const struct list *list)
{
    for (size_t i = 0; i < e->list_count; i++) {
        const struct list *other = e->lists[i].list;
        if (e->lists[i].by_delimiter || other == list)
            continue;
        if (list->select == SELECT_RECIPIENT || other->select == SELECT_RECIPIENT)
            return true;
    }
    return false;
}

/* A mail program shows a 452 as a failure, and a local submission would be deferred as a whole. */
static bool may_defer(const struct envelope *e, const struct rcpt *rcpt)
{
    return !e->trusted && !e->client.authenticated && !e->defers_nobody &&
           !rcpt->is_local_submission;
}

static bool defers_private(const struct list *list)
{
    return list->select == SELECT_RECIPIENT && list->private_recipients == PRIVATE_DEFER;
}

static bool has_list_that_defers_private(const struct envelope *e)
{
    for (size_t i = 0; i < e->list_count; i++) {
        if (defers_private(e->lists[i].list))
            return true;
    }
    return false;
}

static enum recipient_answer count_recipient(struct envelope *e, const struct rcpt *rcpt,
                                             struct span mailbox)
{
    if (e->first_recipient.p != NULL) {
        e->several_recipients |= !span_eq_nocase(e->first_mailbox, mailbox);
        return RECIPIENT_ACCEPTED;
    }
    e->first_recipient = arena_dup(&e->arena, address_bare(rcpt->argument));
    e->first_mailbox = arena_dup(&e->arena, mailbox);
    return e->first_recipient.p == NULL || e->first_mailbox.p == NULL ? RECIPIENT_NO_MEMORY
                                                                      : RECIPIENT_ACCEPTED;
}

static enum recipient_answer add_private(struct envelope *e, const struct rcpt *rcpt,
                                         struct span mailbox)
{
    if (may_defer(e, rcpt) && has_list_that_defers_private(e))
        return RECIPIENT_PRIVATE_DEFERRED;
    e->private_recipients = true;
    return count_recipient(e, rcpt, mailbox);
}

/* An address that a list manager's list names for something else: a person, whose mail may not pass
 * for the list's when it is handed on. */
static enum recipient_answer add_contact(struct envelope *e, const struct rcpt *rcpt,
                                         const struct list *list, struct span mailbox)
{
    enum recipient_answer answer = add_private(e, rcpt, mailbox);
    struct list_recipient *added;
    if (answer != RECIPIENT_ACCEPTED || find_list(e, list) != NULL)
        return answer;
    added = new_list_recipient(e);
    if (added == NULL)
        return RECIPIENT_NO_MEMORY;
    *added = (struct list_recipient){.list = list, .by_delimiter = true};
    return RECIPIENT_ACCEPTED;
}

static enum recipient_answer add_list(struct envelope *e, const struct rcpt *rcpt,
                                      const struct recipient_list *found, struct span mailbox)
{
    struct list_recipient *present = find_list(e, found->list);
    bool shares = !found->by_delimiter && shares_with_list(e, found->list);
    if (present == NULL || (present->by_delimiter && !found->by_delimiter)) {
        if (shares && found->list->crosspost == CROSSPOST_DEFER && may_defer(e, rcpt))
            return RECIPIENT_LIST_DEFERRED;
        if (e->private_recipients && defers_private(found->list) && may_defer(e, rcpt))
            return RECIPIENT_PRIVATE_DEFERRED;
        e->crosspost_first |= shares;
    }
    if (present == NULL) {
        present = new_list_recipient(e);
        if (present == NULL)
            return RECIPIENT_NO_MEMORY;
        *present = (struct list_recipient){found->list, found->by_delimiter};
    }
    present->by_delimiter &= found->by_delimiter;
    return count_recipient(e, rcpt, mailbox);
}

enum recipient_answer envelope_add_recipient(struct envelope *e, const struct rcpt *rcpt)
{
    const struct recipient recipient = {
        .mailbox = mailbox_of(rcpt->argument, &e->arena),
        .mta_mailbox = mailbox_of(rcpt->mta_address, &e->arena),
    };
    struct recipient_list found = recipient_find_list(e->settings, &recipient);
    if (found.list == NULL)
        return add_private(e, rcpt, recipient.mailbox);
    if (found.contact)
        return add_contact(e, rcpt, found.list, recipient.mailbox);
    return add_list(e, rcpt, &found, recipient.mailbox);
}

bool envelope_may_be_ours(const struct envelope *e)
{
    const struct list_index *index = &e->settings->index;
    if (e->list_count > 0)
        return true;
    /* A trusted client may speak for a list by List-Id, sender or command address. */
    return e->trusted &&
           (index->count > index->recipient_lists || index->ways[LIST_BY_COMMAND].count > 0 ||
            index->ways[LIST_BY_COMMAND_FROM].count > 0);
}
