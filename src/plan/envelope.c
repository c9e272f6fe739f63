/* envelope - the transaction as the MTA tells it, and which recipients are lists of ours */
#include "plan/envelope.h"

#include "mail/address.h"

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
    if (e->client.daemon_name.p == NULL || e->sender.p == NULL)
        return -1;
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

/* Would list share the transaction with another one although a header change hits both (RULINGS
 * 22)? */
static bool conflicts(const struct envelope *e, const struct list *list)
{
    for (size_t i = 0; i < e->list_count; i++) {
        const struct list *other = e->lists[i].list;

        if (e->lists[i].deferred || other == list)
            continue;
        if (list->select == SELECT_RECIPIENT || other->select == SELECT_RECIPIENT)
            return true;
    }
    return false;
}

/* A mail program shows a 452 as a failure, and a local submission would be deferred as a whole. */
static bool may_defer(const struct envelope *e, const struct list *list)
{
    return list->crosspost == CROSSPOST_DEFER && !e->trusted && !e->client.authenticated &&
           !e->defers_nobody;
}

static int count_recipient(struct envelope *e, struct span address, bool is_private)
{
    e->private_recipients |= is_private;
    if (e->first_recipient.p != NULL) {
        e->several_recipients |= !span_eq_nocase(e->first_recipient, address);
        return 0;
    }
    e->first_recipient = arena_dup(&e->arena, address);
    return e->first_recipient.p == NULL ? -1 : 0;
}

enum recipient_answer envelope_add_recipient(struct envelope *e, struct span argument)
{
    struct span address = address_bare(argument);
    const struct list *list = list_by_address(&e->settings->index, address);
    struct list_recipient *added;
    bool conflict;

    if (list == NULL)
        return count_recipient(e, address, true) == 0 ? RECIPIENT_ACCEPTED : RECIPIENT_NO_MEMORY;
    for (size_t i = 0; i < e->list_count; i++) {
        if (e->lists[i].list == list)
            return e->lists[i].deferred ? RECIPIENT_DEFERRED : RECIPIENT_ACCEPTED;
    }
    conflict = conflicts(e, list);
    added = new_list_recipient(e);
    if (added == NULL)
        return RECIPIENT_NO_MEMORY;
    added->list = list;
    added->address = arena_dup(&e->arena, address);
    added->deferred = conflict && may_defer(e, list);
    if (added->address.p == NULL)
        return RECIPIENT_NO_MEMORY;
    if (added->deferred)
        return RECIPIENT_DEFERRED;
    e->crosspost_first |= conflict;
    return count_recipient(e, address, false) == 0 ? RECIPIENT_ACCEPTED : RECIPIENT_NO_MEMORY;
}

void envelope_let_in(struct envelope *e, struct span argument)
{
    struct span address = address_bare(argument);

    for (size_t i = 0; i < e->list_count; i++) {
        if (!e->lists[i].deferred || !span_eq_nocase(e->lists[i].address, address))
            continue;
        e->lists[i].deferred = false;
        e->several_recipients = true; /* the one that it was deferred for is there */
        e->crosspost_first = true;
    }
}

bool envelope_may_be_ours(const struct envelope *e)
{
    const struct list_index *index = &e->settings->index;

    for (size_t i = 0; i < e->list_count; i++) {
        if (!e->lists[i].deferred)
            return true;
    }
    /* A trusted client may speak for a list by List-Id, sender or command address. */
    return e->trusted && (index->count > index->recipient_lists ||
                          index->by_command_address.count > 0 || index->by_from_address.count > 0);
}
