/* recipient - see recipient.h */
#include "plan/recipient.h"

#include "config/lists/list.h"
#include "mail/address.h"

#include <string.h>

static bool has_domain(struct span mailbox)
{
    return span_find(mailbox, '@') < mailbox.n;
}

/* First what the MTA says where it says all of it, then what the client said. A bare name comes
 * last: it is the same for all domains of the host. */
static const struct list *find_whole(const struct list_index *index, const struct recipient *r)
{
    const struct list *list = NULL;
    if (has_domain(r->mta_mailbox))
        list = list_by_address(index, r->mta_mailbox);
    if (list == NULL && has_domain(r->mailbox))
        list = list_by_address(index, r->mailbox);
    if (list == NULL && r->mta_mailbox.n > 0 && !has_domain(r->mta_mailbox))
        list = list_by_name(index, r->mta_mailbox);
    return list;
}

/* The mailbox without what stands behind the first delimiter of its local part; empty when there is
 * none. 0 or -1. */
static int cut_mailbox(const struct settings *settings, struct span mailbox, struct arena *arena,
                       struct span *cut)
{
    struct span local = has_domain(mailbox) ? address_local(mailbox) : mailbox;
    size_t n = 1; /* none at the very begin: something must be left */
    char *joined;
    *cut = span_of(NULL, 0);
    while (n < local.n &&
           span_find(settings->recipient_delimiter, local.p[n]) == settings->recipient_delimiter.n)
        n++;
    if (n >= local.n)
        return 0;
    joined = arena_alloc(arena, mailbox.n);
    if (joined == NULL)
        return -1;
    memcpy(joined, mailbox.p, n);
    memcpy(joined + n, mailbox.p + local.n, mailbox.n - local.n);
    *cut = span_of(joined, n + mailbox.n - local.n);
    /* The "@" at the end only told that "name+a@b" has no domain: Sendmail's {rcpt_addr}. */
    if (mailbox.n == local.n + 1 && span_find(*cut, '@') == n)
        cut->n = n;
    return 0;
}

static int find_cut(const struct settings *settings, const struct recipient *recipient,
                    struct arena *arena, struct recipient_list *out)
{
    struct recipient cut;
    if (settings->recipient_delimiter.n == 0)
        return 0;
    if (cut_mailbox(settings, recipient->mailbox, arena, &cut.mailbox) != 0 ||
        cut_mailbox(settings, recipient->mta_mailbox, arena, &cut.mta_mailbox) != 0)
        return -1;
    out->list = find_whole(&settings->index, &cut);
    out->by_delimiter = out->list != NULL && out->list->select != SELECT_RECIPIENT;
    return 0;
}

int recipient_find_list(const struct settings *settings, const struct recipient *recipient,
                        struct arena *arena, struct recipient_list *out)
{
    *out = (struct recipient_list){.list = find_whole(&settings->index, recipient)};
    if (out->list == NULL && find_cut(settings, recipient, arena, out) != 0)
        return -1;
    if (out->list != NULL)
        return 0;
    if (list_by_contact(&settings->index, recipient->mailbox, arena, &out->list) != 0)
        return -1;
    if (out->list == NULL &&
        list_by_contact(&settings->index, recipient->mta_mailbox, arena, &out->list) != 0)
        return -1;
    out->by_delimiter = out->contact = out->list != NULL;
    return 0;
}
