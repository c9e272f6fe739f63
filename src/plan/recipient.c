/* recipient - see recipient.h */
#include "plan/recipient.h"

#include "mail/address.h"

/* The spellings of one recipient, in the order in which they are tried. */
enum { OF_MTA, OF_CLIENT, NAME_OF_MTA, NAME_OF_CLIENT, SPELLINGS };

struct search {
    const struct settings *settings;
    const struct recipient *recipient;
    struct address spellings[SPELLINGS]; /* local is empty: there is no such spelling */
};

/* True if the domain is this host: localhost, localhost.ANYTHING or an address literal. */
static bool is_this_host(struct span domain)
{
    struct span label = span_sub(domain, 0, span_find(domain, '.'));
    return domain.n > 0 && (domain.p[0] == '[' || span_eq_nocase(label, span_cstr("localhost")));
}

/* Sets the spellings: addresses, then the bare names of this host, which all its domains share.
 * A name that the MTA gives without a domain is a mailbox of this host, as it stands. RCPT's
 * argument without a domain is none: only the MTA knows the domain that it adds. */
static void set_spellings(struct search *s, struct arena *arena)
{
    struct span of_mta = s->recipient->mta_mailbox;
    bool is_name = address_domain(of_mta).n == 0;
    struct address mta = {.local = of_mta},
                   client = recipient_address(s->recipient->mailbox, arena);
    if (!is_name)
        s->spellings[OF_MTA] = mta = recipient_address(of_mta, arena);
    if (client.domain.n > 0)
        s->spellings[OF_CLIENT] = client;
    if (is_name || is_this_host(mta.domain))
        s->spellings[NAME_OF_MTA].local = mta.local;
    if (is_this_host(client.domain))
        s->spellings[NAME_OF_CLIENT].local = client.local;
}

static const struct list *list_of_address(const struct settings *settings, struct address a)
{
    return a.domain.n > 0 ? list_at(&settings->index, LIST_BY_ADDRESS, a.local, a.domain)
                          : list_by_name(&settings->index, a.local);
}

static const struct list *list_of_contact(const struct settings *settings, struct address a)
{
    return a.domain.n > 0 ? list_contact_at(&settings->index, a.local, a.domain)
                          : list_contact_by_name(&settings->index, a.local);
}

/* Returns the list of a contact, also of dev-owner+x@. */
static const struct list *list_of_any_contact(const struct settings *settings, struct address a)
{
    const struct list *list = list_of_contact(settings, a);
    a.local = address_before_delimiter(a.local, settings->recipient_delimiter);
    return list != NULL ? list : list_of_contact(settings, a);
}

/* Returns the list at the address before the first delimiter, or NULL. */
static const struct list *list_above(const struct settings *settings, struct address a)
{
    struct span before = address_before_delimiter(a.local, settings->recipient_delimiter);
    a.local.n = before.n < a.local.n ? before.n : 0;
    return a.local.n > 0 ? list_of_address(settings, a) : NULL;
}

/* True if the mailbox of a delegate's list is one of this host, as far as the MTA says so. Postfix
 * names no mailer for its local submission: then the delegate's section decides (RULINGS 111). */
static bool is_local(const struct recipient *r, const struct list *list)
{
    bool is_name = r->mta_mailbox.n > 0 && address_domain(r->mta_mailbox).n == 0;
    return is_name || r->mailer == MAILER_LOCAL ||
           (r->mailer == MAILER_UNNAMED && !list_domain_is_virtual(list));
}

/* Returns a list of another owner than the delegate's list that has the local mailbox, itself or
 * before a delimiter, or NULL. A name that Sendmail reports may be that of several lists. */
static const struct list *find_rival(const struct search *s, const struct list *list,
                                     struct span mailbox)
{
    struct span before = address_before_delimiter(mailbox, s->settings->recipient_delimiter);
    const struct list *rival = list_contesting(&s->settings->index, list, mailbox);
    return rival != NULL ? rival : list_contesting(&s->settings->index, list, before);
}

/* Finds a local mailbox of a delegate's list that others have, too: local domains share their
 * aliases, so that team@alice.example may lead to the members of the administrator's team@. By a
 * virtusertable, Sendmail may report team+x for sales@alice.example. A bare name in the
 * administrator's `aliases` is the mailbox (RULINGS 111). */
static struct list_recipient find_shared_mailbox(const struct search *s)
{
    const struct span name = s->spellings[NAME_OF_MTA].local;
    for (int i = OF_MTA; i <= OF_CLIENT && s->settings->delegated_count > 0; i++) {
        struct span mailbox = name.n > 0 ? name : s->spellings[i].local;
        const struct list *list = list_of_address(s->settings, s->spellings[i]);
        if (list == NULL)
            list = list_above(s->settings, s->spellings[i]);
        if (list == NULL || list->bounds == NULL || !is_local(s->recipient, list))
            continue;
        const struct list *named = list_get(&s->settings->index, LIST_BY_ADDRESS, mailbox);
        if (named != NULL)
            return (struct list_recipient){.kind = RECIPIENT_LIST, .list = named};
        const struct list *rival = find_rival(s, list, mailbox);
        if (rival != NULL)
            return (struct list_recipient){RECIPIENT_CONTESTED, list, rival};
    }
    return (struct list_recipient){.kind = RECIPIENT_PRIVATE};
}

/* The steps after that, each with all spellings (RULINGS 112): how a list is found, and in which
 * kind an alias list and another one; RECIPIENT_PRIVATE: the step is not for it. */
static const struct step {
    const struct list *(*find)(const struct settings *settings, struct address a);
    enum recipient_kind of_alias_list, of_other;
} steps[] = {
    {list_of_address, RECIPIENT_LIST, RECIPIENT_LIST},           /* dev@lists.example */
    {list_of_any_contact, RECIPIENT_CONTACT, RECIPIENT_PRIVATE}, /* team-owner@ of team@ */
    {list_above, RECIPIENT_LIST, RECIPIENT_BELOW},              /* dev+x@, with the delimiter "+" */
    {list_of_any_contact, RECIPIENT_PRIVATE, RECIPIENT_PERSON}, /* dev-owner@ of dev@ */
};

struct list_recipient recipient_find(const struct settings *settings, const struct recipient *r,
                                     struct arena *arena)
{
    struct search s = {.settings = settings, .recipient = r};
    set_spellings(&s, arena);
    struct list_recipient found = find_shared_mailbox(&s);
    for (size_t n = 0; n < sizeof steps / sizeof steps[0] && found.list == NULL; n++)
        for (int i = 0; i < SPELLINGS && found.list == NULL; i++) {
            struct address a = s.spellings[i];
            const struct list *list = a.local.n > 0 ? steps[n].find(settings, a) : NULL;
            if (list != NULL)
                found.kind =
                    list->select == SELECT_RECIPIENT ? steps[n].of_alias_list : steps[n].of_other;
            found.list = found.kind != RECIPIENT_PRIVATE ? list : NULL;
        }
    return found;
}
