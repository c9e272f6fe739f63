/*
 * names - local parts that lead to lists, and those that several owners have (RULINGS 21, 111, 112)
 *
 * The local domains of a host share their mailboxes, so team@alice.example may be the mailbox that
 * the administrator's list team@lists.example has.
 */
#include "config/lists/build.h"
#include "mail/address.h"

static void put_name(struct list_index *index, struct list *list)
{
    struct span local = address_local(list->mailbox);
    struct list *first = local.n > 0 ? list_index_put(index, LIST_BY_NAME, local, list) : NULL;
    if (first != NULL && !list->has_bare_name)
        first->shares_name = true;
}

/* Adds the contacts of a list. Most lists have none here: list_contact_by_name finds them by the
 * name of their list. */
static void put_contacts(struct list_index *index, struct list *list)
{
    if (list->alias_count == 0 &&
        list_get(index, LIST_BY_NAME, address_local(list->mailbox)) == list)
        return;
    for (size_t i = 0; i < list->command_address_count; i++) {
        struct span contact = list_command_addresses(list)[i], local = address_local(contact);
        if (list_derives(list, local, span_sub(contact, local.n + 1, contact.n)) > 0)
            (void)list_index_put(index, LIST_BY_CONTACT_NAME, local, list);
    }
}

/* Returns the list that has a name, if it has the contact and comes before `found`: an alias list
 * before others, then the first in the configuration. Else returns `found`, which may be NULL. */
static const struct list *first_of(const struct list_index *index, const struct list *found,
                                   struct span name, struct span contact)
{
    const struct list *list = list_get(index, LIST_BY_NAME, name);
    if (list == NULL || list_contact_at(index, contact, address_domain(list->mailbox)) != list)
        return found;
    bool is_alias = list->select == SELECT_RECIPIENT;
    if (found != NULL && is_alias == (found->select == SELECT_RECIPIENT))
        return list->number < found->number ? list : found;
    return found == NULL || is_alias ? list : found;
}

const struct list *list_contact_by_name(const struct list_index *index, struct span name)
{
    const struct list *found = list_get(index, LIST_BY_CONTACT_NAME, name);
    if (name.n > LIST_ADDRESS_MAX)
        return NULL;
    if (span_starts_nocase(name, span_cstr("owner-")))
        found = first_of(index, found, span_sub(name, strlen("owner-"), name.n), name);
    for (size_t n = 1; n < name.n; n++)
        if (name.p[n] == '-' || name.p[n] == '+')
            found = first_of(index, found, span_sub(name, 0, n), name);
    return found;
}

static void put_local(struct list_index *index, struct span mailbox, struct list *list)
{
    struct span local = address_local(mailbox);
    const struct list *other =
        local.n > 0 ? list_index_put(index, LIST_BY_LOCAL, local, list) : NULL;
    if (other != NULL && !list_has_same_owner(other, list))
        (void)list_index_put(index, LIST_BY_OTHERS_LOCAL, local, list);
}

/* Adds the local parts of the address, of aliases and of command addresses, which follow them. */
static void put_locals(struct list_index *index, struct list *list)
{
    put_local(index, list->mailbox, list);
    for (size_t i = 0; i < list->alias_count + list->command_address_count; i++)
        put_local(index, list->aliases[i], list);
}

void list_index_finish(struct list_index *index)
{
    bool has_delegates = false;
    for (int pass = 0; pass < 4; pass++) /* first the names, and preferred lists before others */
        for (size_t i = 0; i < index->count; i++) {
            struct list *list = index->lists[i];
            bool is_alias = list->select == SELECT_RECIPIENT;
            if (list->bounds != NULL) /* any local user of the host may have the name */
                has_delegates = true;
            else if (pass == (list->has_bare_name ? 1 : 0))
                put_name(index, list);
            else if (pass == (is_alias ? 2 : 3))
                put_contacts(index, list);
        }
    for (size_t i = 0; has_delegates && i < index->count; i++)
        put_locals(index, index->lists[i]);
}

const struct list *list_contesting(const struct list_index *index, const struct list *list,
                                   struct span local)
{
    const struct list *other = list_get(index, LIST_BY_LOCAL, local);
    return other == NULL || !list_has_same_owner(other, list)
               ? other
               : list_get(index, LIST_BY_OTHERS_LOCAL, local);
}

/* Returns a list that may get the mail of a mailbox of this one: of a delegate's list, one that
 * contests it; of the administrator's, one with its local part as a bare name. NULL: none does. */
static const struct list *find_other(const struct list_index *index, const struct list *list,
                                     struct span mailbox, struct span delimiters)
{
    struct span local = address_local(mailbox);
    const struct list *other = NULL;
    if (list->bounds == NULL) {
        other = local.n < mailbox.n ? list_get(index, LIST_BY_ADDRESS, local) : NULL;
        return other != list ? other : NULL;
    }
    other = list_contesting(index, list, local);
    return other != NULL
               ? other
               : list_contesting(index, list, address_before_delimiter(local, delimiters));
}

/* Reports the first of the mailboxes of a list that another list may get. */
static void hint_list(const struct list_index *index, const struct list *list,
                      struct span delimiters, struct diagnostics *d)
{
    struct place place = place_of(list->file, list->line, schema[KEY_LIST].name);
    const struct list *other = NULL;
    struct span mailbox = list->mailbox;
    for (size_t i = 0; i <= list->alias_count && other == NULL; i++) {
        mailbox = i == 0 ? list->mailbox : list->aliases[i - 1];
        other = find_other(index, list, mailbox, delimiters);
    }
    if (other == NULL || list_domain_is_virtual(list))
        return;
    place.list = list->id;
    place.other = other->id;
    d->delegate = list->bounds != NULL ? list->bounds->owner : NULL;
    say(d, SEVERITY_HINT, place, mailbox, list->bounds != NULL ? HINT_CONTESTED : HINT_BARE_NAME,
        NULL);
    d->delegate = NULL;
}

void list_index_hint(const struct list_index *index, struct span delimiters,
                     struct diagnostics *diagnostics)
{
    for (size_t i = 0; i < index->count; i++)
        hint_list(index, index->lists[i], delimiters, diagnostics);
}
