/* envelope - see envelope.h */
#include "plan/envelope.h"

#include "mail/address.h"
#include "spec/mailbox.h"

#include <string.h>

#define ARENA_CHUNK 1024

/* ---- the list of a recipient ---- */

/* An address in its two parts; a name alone has no domain. */
struct parts {
    struct span local, domain;
    bool no_at, no_percent; /* local has no "@", no "%" */
};

/* No MTA takes a longer address; in To and Cc one may have a megabyte. */
#define ROUTED_MAX 2048

static struct parts parts_of(struct span mailbox)
{
    bool has_domain = span_find(mailbox, '@') < mailbox.n;
    return (struct parts){.local = has_domain ? address_local(mailbox) : mailbox,
                          .domain = address_domain(mailbox)};
}

/* Returns the place after the last c of s, or 0. */
static size_t after_last(struct span s, char c)
{
    size_t n = s.n;
    while (n > 0 && s.p[n - 1] != c)
        n--;
    return n;
}

/* Undoes one step of the routes that MTAs follow: "a@b"@c, a%b@c and b!a@c are a@b (RULINGS 95).
 * Returns false if there is none. All steps together take time in proportion to the address. */
static bool undo_route(struct parts *a)
{
    struct span local = a->local;
    size_t last = a->no_at ? 0 : after_last(local, '@');
    a->no_at = last == 0;
    if (last == 0 && !a->no_percent)
        last = after_last(local, '%');
    a->no_percent = a->no_at && last == 0;
    size_t bang = last == 0 ? span_find(local, '!') : 0;
    if (local.n > ROUTED_MAX || (last == 0 && bang == local.n))
        return false;
    a->domain = last > 0 ? span_sub(local, last, local.n) : span_sub(local, 0, bang);
    a->local = last > 0 ? span_sub(local, 0, last - 1) : span_sub(local, bang + 1, local.n);
    if (a->domain.n > 0 && a->domain.p[a->domain.n - 1] == '.')
        a->domain.n--; /* as at the end of any address */
    return true;
}

/* True if the domain is the host itself, whatever its name: localhost, a name below it, or an
 * address literal. */
static bool is_this_host(struct span domain)
{
    struct span name = span_sub(domain, 0, span_find(domain, '.'));
    return (domain.n > 0 && domain.p[0] == '[') || span_eq_nocase(name, span_cstr("localhost"));
}

/* How an address is looked up. */
enum way {
    BY_ADDRESS,   /* with its domain */
    BY_HOST_NAME, /* by its local part, where the domain is the host itself */
    BY_NAME       /* by its local part, also where it has no domain: only what the MTA says */
};

static const struct list *look_up(const struct list_index *index, struct parts a, enum way way)
{
    if (way == BY_ADDRESS)
        return a.domain.n > 0 ? list_at_address(index, a.local, a.domain) : NULL;
    if (is_this_host(a.domain) || (way == BY_NAME && a.domain.n == 0))
        return list_by_name(index, a.local);
    return NULL;
}

/* Finds the list of a mailbox, with its routes undone one by one. delimiters: of each local part
 * only the text before the first of these characters counts; empty: the whole local part. */
static const struct list *find(const struct list_index *index, struct span mailbox,
                               struct span delimiters, enum way way)
{
    struct parts a = parts_of(mailbox);
    const struct list *list = NULL;
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

/* The MTA's word comes first, then the client's. A name without a domain comes last: it is the same
 * for all domains of the host. */
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
    list = list_by_contact(index, r->mailbox);
    if (list == NULL)
        list = list_by_contact(index, r->mta_mailbox);
    return (struct list_recipient){list, list != NULL, list != NULL};
}

/* ---- a transaction ---- */

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
    *e = (struct envelope){.arena = arena, .settings = settings, .client = *client};
    e->client.daemon_name = arena_dup(&e->arena, client->daemon_name);
    e->sender = arena_dup(&e->arena, address_bare(sender));
    e->sender_mailbox = mailbox_of(e->sender, &e->arena);
    e->trusted = trust_matches(&settings->trusted, &e->client);
}

static struct list_recipient *find_list_recipient(const struct envelope *e, const struct list *list)
{
    for (size_t i = 0; i < e->list_count; i++)
        if (e->lists[i].list == list)
            return &e->lists[i];
    return NULL;
}

static void add_list_recipient(struct envelope *e, const struct list_recipient *added)
{
    if (e->list_count == e->list_capacity) {
        size_t capacity = e->list_capacity == 0 ? 4 : 2 * e->list_capacity;
        struct list_recipient *grown = arena_calloc(&e->arena, capacity, sizeof *grown);
        if (e->list_count > 0)
            memcpy(grown, e->lists, e->list_count * sizeof *grown);
        e->lists = grown;
        e->list_capacity = capacity;
    }
    e->lists[e->list_count++] = *added;
}

/* True if an edit of the header for this list would reach another list among the recipients
 * (RULINGS 22). What an address below a list is for, only its list manager knows. */
static bool shares_with_list(const struct envelope *e, const struct list *list)
{
    for (size_t i = 0; i < e->list_count; i++) {
        const struct list *other = e->lists[i].list;
        if (!e->lists[i].below_list && other != list &&
            (list->select == SELECT_RECIPIENT || other->select == SELECT_RECIPIENT))
            return true;
    }
    return false;
}

/* True if the recipient may be deferred: a mail program shows a 452 as a failure, and a local
 * submission would be deferred as a whole. */
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
    for (size_t i = 0; i < e->list_count; i++)
        if (defers_private(e->lists[i].list))
            return true;
    return false;
}

static void count_recipient(struct envelope *e, const struct rcpt *rcpt, struct span as_mailbox)
{
    if (e->first_recipient.p != NULL) {
        e->several_recipients |= !span_eq_nocase(e->first_mailbox, as_mailbox);
        return;
    }
    e->first_recipient = arena_dup(&e->arena, address_bare(rcpt->argument));
    e->first_mailbox = arena_dup(&e->arena, as_mailbox);
}

/* Decides about a recipient that is a list. */
static enum recipient_answer answer_list(const struct envelope *e, const struct rcpt *rcpt,
                                         const struct list_recipient *found, bool shares)
{
    if (!may_defer(e, rcpt))
        return RECIPIENT_ACCEPTED;
    if (shares && found->list->crosspost == CROSSPOST_DEFER)
        return RECIPIENT_LIST_DEFERRED;
    return e->private_recipients && defers_private(found->list) ? RECIPIENT_PRIVATE_DEFERRED
                                                                : RECIPIENT_ACCEPTED;
}

static enum recipient_answer add_list(struct envelope *e, const struct rcpt *rcpt,
                                      const struct list_recipient *found)
{
    struct list_recipient *present = find_list_recipient(e, found->list);
    if (present == NULL || (present->below_list && !found->below_list)) {
        bool shares = !found->below_list && shares_with_list(e, found->list);
        enum recipient_answer answer = answer_list(e, rcpt, found, shares);
        if (answer != RECIPIENT_ACCEPTED)
            return answer;
        e->crosspost_first |= shares;
    }
    if (present == NULL)
        add_list_recipient(e, found);
    else
        present->below_list &= found->below_list;
    return RECIPIENT_ACCEPTED;
}

/* A contact is a person, whose mail must not pass for the list's when it is handed on. */
static enum recipient_answer add_private(struct envelope *e, const struct rcpt *rcpt,
                                         const struct list_recipient *found)
{
    if (may_defer(e, rcpt) && has_list_that_defers_private(e))
        return RECIPIENT_PRIVATE_DEFERRED;
    e->private_recipients = true;
    if (found->list != NULL && find_list_recipient(e, found->list) == NULL)
        add_list_recipient(e, found);
    return RECIPIENT_ACCEPTED;
}

enum recipient_answer envelope_add_recipient(struct envelope *e, const struct rcpt *rcpt)
{
    const struct recipient recipient = {mailbox_of(rcpt->argument, &e->arena),
                                        mailbox_of(rcpt->mta_address, &e->arena)};
    struct list_recipient found = recipient_find_list(e->settings, &recipient);
    bool is_private = found.list == NULL || found.contact;
    enum recipient_answer answer =
        is_private ? add_private(e, rcpt, &found) : add_list(e, rcpt, &found);
    if (answer == RECIPIENT_ACCEPTED)
        count_recipient(e, rcpt, recipient.mailbox);
    return answer;
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
