/* contacts - the list of a command address that is made of its address; see list_index.h */
#include "config/lists/list.h"
#include "config/lists/list_index.h"
#include "mail/address.h"

const struct list *list_contact_at(const struct list_index *index, struct span local,
                                   struct span domain)
{
    const struct list *list = list_at(index, LIST_BY_COMMAND, local, domain);
    if (list == NULL)
        list = list_at(index, LIST_BY_COMMAND_FROM, local, domain);
    return list != NULL && list_derives(list, local, domain) > 0 ? list : NULL;
}

/* True if the name, in the domain of the list's address, is a command address of the list. */
static bool has_contact(const struct list *list, struct span name)
{
    struct span domain = address_domain(list->mailbox);
    for (size_t i = 0; i < list->command_address_count; i++) {
        struct span contact = list_command_addresses(list)[i];
        if (contact.n == name.n + 1 + domain.n && span_eq_nocase(address_local(contact), name) &&
            span_eq_nocase(address_domain(contact), domain))
            return true;
    }
    return false;
}

/* Returns an alias list before another, else the list that comes first in the configuration. Each
 * may be NULL. */
static const struct list *first_of(const struct list_index *index, const struct list *a,
                                   const struct list *b)
{
    size_t i = 0;
    if (a == NULL || b == NULL || a == b)
        return a != NULL ? a : b;
    if ((a->select == SELECT_RECIPIENT) != (b->select == SELECT_RECIPIENT))
        return a->select == SELECT_RECIPIENT ? a : b;
    while (index->lists[i] != a && index->lists[i] != b)
        i++;
    return index->lists[i];
}

/* Returns the first list with this local part in its address, if it has this contact. */
static const struct list *find_with(const struct list_index *index, struct span local,
                                    struct span name)
{
    const struct list *list = list_get(index, LIST_BY_NAME, local);
    return list != NULL && has_contact(list, name) ? list : NULL;
}

const struct list *list_contact_by_name(const struct list_index *index, struct span name)
{
    static const struct span owner = {"owner-", 6};
    if (name.n > LIST_ADDRESS_MAX)
        return NULL;
    const struct list *found = list_get(index, LIST_BY_ALIAS_CONTACT_NAME, name);
    if (found == NULL)
        found = list_get(index, LIST_BY_CONTACT_NAME, name);
    if (span_starts_nocase(name, owner))
        found = first_of(index, found, find_with(index, span_sub(name, owner.n, name.n), name));
    for (size_t n = 1; n < name.n; n++)
        if (name.p[n] == '-' || name.p[n] == '+')
            found = first_of(index, found, find_with(index, span_sub(name, 0, n), name));
    return found;
}
