/* envelope - see envelope.h */
#include "plan/envelope.h"

#include "mail/address.h"
#include "spec/mailbox.h"
#include "text/memory.h"

#include <stdlib.h>

#define ARENA_CHUNK 1024

/* An address in its two parts; a name alone has no domain. */
struct parts {
    struct span local, domain;
    bool no_at, no_percent; /* local has no "@", no "%" */
};

/* No MTA takes a longer address; in To and Cc one may have a megabyte. */
#define ROUTED_MAX 2048

/* Undoes one step of the routes that MTAs follow: "a@b"@c, a%b@c and b!a@c are a@b (RULINGS 95).
 * Returns false if there is none. All steps together take time in proportion to the address. */
static bool undo_route(struct parts *a)
{
    struct span local = a->local;
    size_t last = a->no_at ? local.n : span_find_last(local, '@');
    a->no_at = last == local.n;
    if (a->no_at && !a->no_percent)
        last = span_find_last(local, '%');
    a->no_percent = a->no_at && last == local.n;
    size_t bang = a->no_percent ? span_find(local, '!') : 0;
    if (local.n > ROUTED_MAX || bang == local.n)
        return false;
    a->domain = a->no_percent ? span_sub(local, 0, bang) : span_sub(local, last + 1, local.n);
    a->local = a->no_percent ? span_sub(local, bang + 1, local.n) : span_sub(local, 0, last);
    if (a->domain.n > 0 && a->domain.p[a->domain.n - 1] == '.')
        a->domain.n--; /* as at the end of any address */
    return true;
}

/* How an address is looked up. */
enum way {
    BY_ADDRESS,   /* with its domain */
    BY_HOST_NAME, /* by its local part, if the domain is the host itself: its first label is
                     localhost, or it is an address literal */
    BY_NAME       /* as BY_HOST_NAME, or without a domain: for an address of the MTA only */
};

static const struct list *look_up(const struct list_index *index, struct parts a, enum way way)
{
    struct span label = span_sub(a.domain, 0, span_find(a.domain, '.'));
    if (way == BY_ADDRESS)
        return a.domain.n > 0 ? list_at(index, LIST_BY_ADDRESS, a.local, a.domain) : NULL;
    bool is_name = a.domain.n == 0
                       ? way == BY_NAME
                       : a.domain.p[0] == '[' || span_eq_nocase(label, span_cstr("localhost"));
    return is_name ? list_by_name(index, a.local) : NULL;
}

/* Finds the list of a mailbox, with its routes undone one by one. A local part counts up to the
 * first of the delimiters; as a whole if there are none. */
static const struct list *find(const struct list_index *index, struct span mailbox,
                               struct span delimiters, enum way way)
{
    struct parts a = {.local = address_local(mailbox), .domain = address_domain(mailbox)};
    const struct list *list = NULL;
    if (a.local.n == 0)
        return NULL;
    const char *cut = a.local.p, *end = a.local.p + a.local.n;
    do {
        struct parts part = a;
        if (delimiters.n > 0 && a.local.n > 0 && cut <= a.local.p)
            for (cut = a.local.p + 1; cut < end && span_find(delimiters, *cut) == delimiters.n;)
                cut++;
        if (delimiters.n > 0)
            part.local.n = cut < a.local.p + a.local.n ? (size_t)(cut - a.local.p) : 0;
        if (part.local.n > 0)
            list = look_up(index, part, way);
    } while (list == NULL && undo_route(&a));
    return list;
}

/* Finds the list of the MTA's address, or else of the client's. A name without a domain comes last:
 * all domains of the host share it. */
static const struct list *find_in_order(const struct list_index *index, const struct recipient *r,
                                        struct span delimiters)
{
    const struct list *list = find(index, r->mta_mailbox, delimiters, BY_ADDRESS);
    if (list == NULL)
        list = find(index, r->mailbox, delimiters, BY_ADDRESS);
    if (list == NULL)
        list = find(index, r->mta_mailbox, delimiters, BY_NAME);
    return list != NULL ? list : find(index, r->mailbox, delimiters, BY_HOST_NAME);
}

/* Returns the list manager's list with this contact, or NULL. */
static const struct list *contact_of_manager(const struct list_index *index, struct span mailbox)
{
    const struct list *list =
        list_contact_at(index, address_local(mailbox), address_domain(mailbox));
    return list != NULL && list->select != SELECT_RECIPIENT ? list : NULL;
}

struct list_recipient recipient_find_list(const struct settings *settings,
                                          const struct recipient *r)
{
    const struct list_index *index = &settings->index;
    const struct list *list = find_in_order(index, r, span_of("", 0));
    if (list != NULL)
        return (struct list_recipient){.list = list};
    if (settings->recipient_delimiter.n > 0)
        list = find_in_order(index, r, settings->recipient_delimiter);
    if (list != NULL)
        return (struct list_recipient){list, list->select != SELECT_RECIPIENT, false};
    list = contact_of_manager(index, r->mailbox);
    if (list == NULL)
        list = contact_of_manager(index, r->mta_mailbox);
    return (struct list_recipient){list, list != NULL, list != NULL};
}

void envelope_init(struct envelope *e)
{
    *e = (struct envelope){.settings = NULL};
    arena_init(&e->arena, ARENA_CHUNK);
}

void envelope_free(struct envelope *e)
{
    free(e->lists);
    arena_free(&e->arena);
    envelope_init(e);
}

void envelope_begin(struct envelope *e, const struct settings *settings,
                    const struct client *client, struct span sender)
{
    struct arena arena = e->arena;
    free(e->lists);
    arena_reset(&arena);
    *e = (struct envelope){.arena = arena, .settings = settings, .client = *client};
    e->client.daemon_name = arena_dup(&e->arena, client->daemon_name);
    e->sender = arena_dup(&e->arena, address_bare(sender));
    e->sender_mailbox = mailbox_of(e->sender, &e->arena);
    e->trusted = trust_matches(&settings->trusted, &e->client);
}

static bool defers_private(const struct list *list)
{
    return list->select == SELECT_RECIPIENT && list->private_recipients == PRIVATE_DEFER;
}

/* True if an edit of the header for this list would reach another list among the recipients
 * (RULINGS 22). Only its list manager knows the purpose of an address below a list. */
static bool shares_with_list(const struct envelope *e, const struct list *list)
{
    bool shares = false;
    for (size_t i = 0; i < e->list_count; i++) {
        const struct list *other = e->lists[i].list;
        shares |= !e->lists[i].below_list && other != list &&
                  (list->select == SELECT_RECIPIENT || other->select == SELECT_RECIPIENT);
    }
    return shares;
}

/* Decides about a recipient. shares: see shares_with_list. Defers no mail program, which would show
 * a 452 as a failure, and no local submission, which would be deferred as a whole. */
static enum recipient_answer answer(const struct envelope *e, const struct rcpt *rcpt,
                                    const struct list *list, bool is_private, bool shares)
{
    if (e->trusted || e->client.authenticated || e->defers_nobody || rcpt->is_local_submission)
        return RECIPIENT_ACCEPTED;
    if (shares && list->crosspost == CROSSPOST_DEFER)
        return RECIPIENT_LIST_DEFERRED;
    bool defers = is_private ? e->defers_private : e->private_recipients && defers_private(list);
    return defers ? RECIPIENT_PRIVATE_DEFERRED : RECIPIENT_ACCEPTED;
}

enum recipient_answer envelope_add_recipient(struct envelope *e, const struct rcpt *rcpt)
{
    const struct recipient recipient = {mailbox_of(rcpt->argument, &e->arena),
                                        mailbox_of(rcpt->mta_address, &e->arena)};
    struct list_recipient found = recipient_find_list(e->settings, &recipient);
    struct list_recipient *present = NULL;
    for (size_t i = 0; i < e->list_count && present == NULL; i++)
        present = e->lists[i].list == found.list ? &e->lists[i] : NULL;
    /* A contact is a person: mail that the person forwards must not pass for the list's. */
    bool is_private = found.list == NULL || found.contact;
    bool is_new = present == NULL || (present->below_list && !found.below_list);
    bool shares =
        !found.below_list && found.list != NULL && is_new && shares_with_list(e, found.list);
    enum recipient_answer result = answer(e, rcpt, found.list, is_private, shares);
    if (result != RECIPIENT_ACCEPTED)
        return result;
    e->private_recipients |= is_private;
    e->crosspost_first |= shares;
    if (present != NULL) {
        present->below_list &= found.below_list;
    } else if (found.list != NULL) {
        e->lists = array_grow(e->lists, e->list_count, &e->list_capacity, sizeof *e->lists);
        e->lists[e->list_count++] = found;
        e->defers_private |= defers_private(found.list);
    }
    if (e->first_recipient.p == NULL) {
        e->first_recipient = arena_dup(&e->arena, address_bare(rcpt->argument));
        e->first_mailbox = arena_dup(&e->arena, recipient.mailbox);
    }
    e->several_recipients |= !span_eq_nocase(e->first_mailbox, recipient.mailbox);
    return RECIPIENT_ACCEPTED;
}

bool envelope_may_be_ours(const struct envelope *e)
{
    const struct list_index *index = &e->settings->index;
    /* A trusted client may speak for a list by List-Id, sender or command address. */
    bool may_speak = index->count > index->recipient_lists ||
                     index->ways[LIST_BY_COMMAND].count > 0 ||
                     index->ways[LIST_BY_COMMAND_FROM].count > 0;
    return e->list_count > 0 || (e->trusted && may_speak);
}
