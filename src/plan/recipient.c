/* recipient - see recipient.h */
#include "plan/recipient.h"

#include "config/lists/list.h"
#include "mail/address.h"

/* An address in its two parts; a name alone has no domain. */
struct parts {
    struct span local, domain;
    bool no_percent; /* local has no "%" */
};

/* No MTA takes a longer address; in To and Cc one may have a megabyte. */
#define ROUTED_MAX 2048

static struct parts parts_of(struct span mailbox)
{
    bool has_domain = span_find(mailbox, '@') < mailbox.n;
    return (struct parts){.local = has_domain ? address_local(mailbox) : mailbox,
                          .domain = address_domain(mailbox)};
}

/* Undoes one step of the routes that MTAs follow: a%b@c and b!a@c are a@b (RULINGS 95). Returns
 * false if there is none. All steps together take time in proportion to the address. */
static bool undo_route(struct parts *a)
{
    struct span local = a->local;
    size_t percent = a->no_percent ? 0 : local.n;
    while (percent > 0 && local.p[percent - 1] != '%')
        percent--;
    a->no_percent = percent == 0;
    size_t bang = percent == 0 ? span_find(local, '!') : 0;
    if (local.n > ROUTED_MAX || (percent == 0 && bang == local.n))
        return false;
    a->domain = percent > 0 ? span_sub(local, percent, local.n) : span_sub(local, 0, bang);
    a->local = percent > 0 ? span_sub(local, 0, percent - 1) : span_sub(local, bang + 1, local.n);
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

struct recipient_list recipient_find_list(const struct settings *settings,
                                          const struct recipient *r)
{
    const struct list_index *index = &settings->index;
    const struct list *list = find_in_order(index, r, span_of("", 0));
    if (list != NULL)
        return (struct recipient_list){.list = list};
    if (settings->recipient_delimiter.n > 0)
        list = find_in_order(index, r, settings->recipient_delimiter);
    if (list != NULL)
        return (struct recipient_list){list, list->select != SELECT_RECIPIENT, false};
    list = list_by_contact(index, r->mailbox);
    if (list == NULL)
        list = list_by_contact(index, r->mta_mailbox);
    return (struct recipient_list){list, list != NULL, list != NULL};
}
