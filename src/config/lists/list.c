/* list - reads from a list. */
#include "config/lists/list.h"

#include "config/lists/list_index.h"
#include "mail/address.h"
#include "mail/fold.h"
#include "spec/list_fields.h"
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
    }
}

/* ---- contacts ---- */

/* In a finished field of the list. */
static int in_field(const struct list_texts *texts, enum field_name name, struct span mailbox,
                    struct arena *arena, bool *named)
{
    struct span text, uri;
    struct cursor c;
    bool first = true;
    int more;
    if (fold_text(list_texts_field(texts, name), arena, &text) != 0)
        return -1;
    c = cursor_of(text);
    while ((more = list_field_next_uri(&c, &first, arena, &uri)) == 1) {
        if (mailbox_in_mailto(mailbox, uri, arena, named) != 0)
            return -1;
        if (*named)
            return 0;
    }
    return more;
}

/* In an item of `unsubscribe` that stands beside one which names the recipient. */
static int in_item(const struct item_template *item, struct span mailbox, struct arena *arena,
                   bool *named)
{
    if (item->uri.needs != 0)
        return 0;
    return mailbox_in_mailto(mailbox, template_literal(&item->uri), arena, named);
}

int list_names_contact(const struct list *list, struct span mailbox, struct arena *arena,
                       bool *named)
{
    static const enum field_name fields[] = {FIELD_LIST_HELP, FIELD_LIST_SUBSCRIBE,
                                             FIELD_LIST_UNSUBSCRIBE, FIELD_LIST_OWNER};
    struct list_texts texts;
    *named = false;
    for (size_t i = 0; i < list->command_address_count && !*named; i++)
        *named = span_eq_nocase(list->command_addresses[i], mailbox);
    if (*named)
        return 0;
    if (list_texts_of(list, arena, &texts) != 0)
        return -1;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0] && !*named; i++) {
        if (in_field(&texts, fields[i], mailbox, arena, named) != 0)
            return -1;
    }
    for (size_t i = 0; i < texts.unsubscribe_count && !*named; i++) {
        if (in_item(&texts.unsubscribe[i], mailbox, arena, named) != 0)
            return -1;
    }
    return 0;
}

/* The list manager's list with that address, if it names the mailbox. */
static int try_list(const struct list_index *index, struct span local, struct span domain,
                    struct span mailbox, struct arena *arena, const struct list **list)
{
    const struct list *found = list_at_address(index, local, domain);
    bool named;
    if (found == NULL || found->select == SELECT_RECIPIENT)
        return 0;
    if (list_names_contact(found, mailbox, arena, &named) != 0)
        return -1;
    if (named)
        *list = found;
    return 0;
}

int list_by_contact(const struct list_index *index, struct span mailbox, struct arena *arena,
                    const struct list **list)
{
    static const struct span owner = {"owner-", 6};
    struct span local = address_local(mailbox), domain = address_domain(mailbox);
    *list = NULL;
    if (domain.n == 0 || local.n > LIST_ADDRESS_MAX)
        return 0;
    if (span_starts_nocase(local, owner) &&
        try_list(index, span_sub(local, owner.n, local.n), domain, mailbox, arena, list) != 0)
        return -1;
    for (size_t n = local.n; n-- > 1 && *list == NULL;) {
        if ((local.p[n] == '-' || local.p[n] == '+') &&
            try_list(index, span_sub(local, 0, n), domain, mailbox, arena, list) != 0)
            return -1;
    }
    return 0;
}

int list_names_owner(const struct list *list, struct span mailbox, struct arena *arena, bool *named)
{
    struct list_texts texts;
    *named = false;
    if (list_texts_of(list, arena, &texts) != 0)
        return -1;
    return in_field(&texts, FIELD_LIST_OWNER, mailbox, arena, named);
}
