/* list_contacts - see list_contacts.h */
#include "config/list_contacts.h"

#include "mail/fold.h"
#include "spec/list_fields.h"
#include "spec/mailbox.h"

/* In a finished field of the list. */
static int in_field(const struct list *list, enum field_name name, struct span mailbox,
                    struct arena *arena, bool *named)
{
    struct span text, uri;
    struct cursor c;
    bool first = true;
    int more;

    if (fold_text(list_field(list, name), arena, &text) != 0)
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

    *named = false;
    for (size_t i = 0; i < list->command_address_count && !*named; i++)
        *named = span_eq_nocase(list->command_addresses[i], mailbox);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0] && !*named; i++) {
        if (in_field(list, fields[i], mailbox, arena, named) != 0)
            return -1;
    }
    for (size_t i = 0; i < list->unsubscribe_count && !*named; i++) {
        if (in_item(&list->unsubscribe[i], mailbox, arena, named) != 0)
            return -1;
    }
    return 0;
}

int list_names_owner(const struct list *list, struct span mailbox, struct arena *arena, bool *named)
{
    *named = false;
    return in_field(list, FIELD_LIST_OWNER, mailbox, arena, named);
}
