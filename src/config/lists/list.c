/* list - reads from a list. */
#include "config/lists/list.h"

#include "config/lists/list_index.h"
#include "mail/address.h"
#include "spec/list_id.h"
#include "spec/mailbox.h"

static void set(struct variable_values *values, enum variable variable, struct span text)
{
    values->set |= VAR_BIT(variable);
    values->text[variable] = text;
}

void list_variables(const struct list *list, struct variable_values *values)
{
    set(values, VAR_LIST_ID, list->id);
    set(values, VAR_LIST_LABEL, list_id_label(list->id));
    set(values, VAR_LIST_NAMESPACE, list_id_namespace(list->id));
    if (list->address.n > 0) {
        set(values, VAR_ADDRESS, list->address);
        set(values, VAR_ADDRESS_LOCAL, address_local(list->address));
        set(values, VAR_ADDRESS_DOMAIN, address_domain(list->address));
        values->ascii_domain = values->text[VAR_ADDRESS_DOMAIN];
        if (!span_is_printable_ascii(values->ascii_domain))
            values->ascii_domain = address_domain(list->mailbox);
    }
}

/* ---- contacts ---- */

bool list_names_contact(const struct list *list, struct span mailbox)
{
    for (size_t i = 0; i < list->command_address_count; i++)
        if (span_eq_nocase(list->command_addresses[i], mailbox))
            return true;
    return false;
}

const struct list *list_by_contact(const struct list_index *index, struct span mailbox)
{
    const struct list *list = list_by_command_address(index, mailbox);
    if (list == NULL)
        list = list_by_from_address(index, mailbox);
    if (list == NULL || list->select == SELECT_RECIPIENT || list_derives_sender(list, mailbox) == 0)
        return NULL;
    return list;
}

void list_owners(const struct list *list, struct arena *arena, struct list_owners *owners)
{
    const struct list_text_array *texts = list_items(list, FIELD_LIST_OWNER);
    struct variable_values values = {0};
    owners->count = 0;
    list_variables(list, &values);
    for (size_t i = 0; i < texts->count; i++) {
        struct list_item item;
        (void)list_item_make(&texts->items[i], &values, arena, &item);
        mailboxes_of_mailto(item.uri, arena, owners->mailboxes, LIST_OWNERS_MAX, &owners->count);
    }
}

bool list_owners_have(const struct list_owners *owners, struct span mailbox)
{
    for (size_t i = 0; i < owners->count; i++)
        if (span_eq_nocase(owners->mailboxes[i], mailbox))
            return true;
    return false;
}
