/* policies - the choices and switches of a list, and what they exclude */
#include "config/lists/build.h"
#include "spec/owned_fields.h"

#define CHOICE(type, key) (enum type) value_choice(&n->from, key)

void build_policies(struct new_list *n)
{
    struct list *list = n->list;
    list->select = CHOICE(list_select, KEY_SELECT);
    list->missing_message_id = CHOICE(missing_policy, KEY_MISSING_MESSAGE_ID);
    list->duplicate_message_id = CHOICE(duplicate_policy, KEY_DUPLICATE_MESSAGE_ID);
    list->crosspost = CHOICE(crosspost_policy, KEY_CROSSPOST);
    list->private_recipients = CHOICE(private_policy, KEY_PRIVATE_RECIPIENTS);
    list->oversigned = CHOICE(oversigned_policy, KEY_OVERSIGNED);
    list->sequence_from = CHOICE(sequence_source, KEY_SEQUENCE_FROM);
    list->archived_at_requires = CHOICE(archived_at_condition, KEY_ARCHIVED_AT_REQUIRES);
    list->reused_message_id = CHOICE(reused_policy, KEY_REUSED_MESSAGE_ID);
    list->on_store_failure = CHOICE(store_failure_policy, KEY_ON_STORE_FAILURE);
    list->message_id_hash = value_bool(&n->from, KEY_MESSAGE_ID_HASH);
    list->honor_no_archive = value_bool(&n->from, KEY_HONOR_NO_ARCHIVE);
    list->list_id_hash = value_bool(&n->from, KEY_LIST_ID_HASH);
    list->alt_message_id = value_bool(&n->from, KEY_ALT_MESSAGE_ID);
    list->replace_post = value_bool(&n->from, KEY_REPLACE_POST);
    list->one_click = value_bool(&n->from, KEY_UNSUBSCRIBE_ONE_CLICK);
    list->precedence = value_bool(&n->from, KEY_PRECEDENCE);
}

/* Sets `keep` (RULINGS 26). Posts of a list that the MTA expands come from posters, and no field of
 * a poster is kept. */
void build_keep(struct new_list *n)
{
    struct value value = value_of(&n->from, KEY_KEEP);
    bool is_own = value.source == FROM_SECTION;
    for (size_t i = 0; i < value.count; i++) {
        const struct entry *entry = &value.entries[i];
        const struct owned_field *owned = owned_field_find(field_name_find(entry->text));
        if (entry->is_wrong)
            continue;
        if (!owned->never_kept)
            n->list->keep |= FIELD_BIT(owned->name);
        else if (is_own)
            report_wrong(n, entry, HINT_IS_NEVER_KEPT, NULL);
        else /* of the defaults, it is left out */
            hint_entry(n, HINT_IS_NEVER_KEPT, entry);
    }
    if (n->list->select != SELECT_RECIPIENT)
        return;
    n->list->keep = 0;
    if (is_own && value.count > 0 && !value.is_wrong)
        report_wrong(n, value.entries, ERROR_KEEP_OF_ALIAS, NULL);
}

void check_select(struct new_list *n)
{
    const struct list *list = n->list;
    if (list->address.n > 0)
        return;
    if (list->select == SELECT_RECIPIENT)
        report_list(n, KEY_SELECT, NO_TEXT, ERROR_NO_ADDRESS_TO_SELECT, NULL);
    else if (list->select == SELECT_SENDER && list->sender_count == 0)
        report_list(n, KEY_SELECT, NO_TEXT, ERROR_NO_SENDER, NULL);
}

/* Returns the first template of Archived-At with {sequence}, or NULL. One that is left out does not
 * count (RULINGS 42). */
static const struct entry *numbered_template(const struct new_list *n)
{
    struct value value = value_of(&n->from, KEY_ARCHIVED_AT);
    for (size_t i = 0; i < value.count && !value.is_wrong; i++)
        if ((value.entries[i].compiled->text.needs & VAR_BIT(VAR_SEQUENCE)) != 0 &&
            !list_leaves_out(n->list, value.entries[i].compiled))
            return &value.entries[i];
    return NULL;
}

/* Checks that `sequence_from` can be asked (RULINGS 50, 84). */
static void check_sequence_from(struct new_list *n)
{
    struct list *list = n->list;
    struct value value = value_of(&n->from, KEY_SEQUENCE_FROM);
    bool is_own = value.source == FROM_SECTION;
    if (list->sequence_from != SEQUENCE_FROM_SENDER)
        return;
    if (list->select == SELECT_RECIPIENT) {
        list->sequence_from = SEQUENCE_FROM_STORE; /* the value of the defaults has no effect */
        if (is_own)
            report_wrong(n, value.entries, ERROR_NUMBER_OF_ALIAS, NULL);
    } else if (list->address.n == 0 && !n->address_is_wrong && (list->numbered || is_own)) {
        report_wrong(n, value.entries, ERROR_NO_ADDRESS_TO_NUMBER, NULL);
    }
}

void build_store(struct new_list *n)
{
    struct list *list = n->list;
    const struct entry *template = numbered_template(n), *asking = NULL;
    bool is_sequence = value_bool(&n->from, KEY_SEQUENCE);
    list->numbered = is_sequence || template != NULL; /* RULINGS 9 */
    check_sequence_from(n);
    if (list->reused_message_id != REUSED_ACCEPT)
        asking = value_of(&n->from, KEY_REUSED_MESSAGE_ID).entries;
    else if (list->numbered && list->sequence_from == SEQUENCE_FROM_STORE)
        asking = is_sequence ? value_of(&n->from, KEY_SEQUENCE).entries : template;
    list->asks_store = asking != NULL;
    if (asking != NULL && n->b->given.lacks_store) /* RULINGS 74 */
        report_wrong(n, asking, ERROR_NO_STORE, NULL);
}
