/* policies - the choices and switches of a list, and what they exclude */
#include "config/lists/new_list.h"
#include "spec/owned_fields.h"

/* The offset in struct list of each key that is a choice or a switch, which has its name and one
 * byte; another size does not compile. */
#define OFFSET_OF(name)                                                                            \
    (offsetof(struct list, name) +                                                                 \
     0 * sizeof(char[sizeof((struct list *)NULL)->name == 1 ? 1 : -1]))
#define OFFSET_KIND_BOOL(name)   OFFSET_OF(name)
#define OFFSET_KIND_CHOICE(name) OFFSET_OF(name)
#define OFFSET_KIND_TEXT(name)   0
#define OFFSET_KIND_TEXTS(name)  0
#define OFFSET_IN_LIST(...)      __VA_ARGS__
#define OFFSET_IN_MAIN(...)
#define OFFSET_IN_TOKEN(...)
#define OFFSET_IN_DELEGATE(...)
#define OFFSET_ROW(key, name, section, kind, ...) OFFSET_IN_##section([key] = OFFSET_##kind(name), )
static const size_t offsets[KEY_COUNT] = {SCHEMA(OFFSET_ROW)};

void build_policies(struct new_list *n)
{
    for (enum key key = 0; key < KEY_COUNT; key++) {
        const struct schema_key *row = &schema[key];
        unsigned char *member = (unsigned char *)n->list + offsets[key];
        if (row->section == SECTION_LIST && row->kind == KIND_BOOL)
            *member = value_bool(&n->from, key);
        else if (row->section == SECTION_LIST && row->kind == KIND_CHOICE)
            *member = (unsigned char)value_choice(&n->from, key);
    }
    const struct section *manager = n->from.sections[FROM_MANAGER];
    n->list->manager = manager != NULL ? (enum manager)(manager - n->b->managers) : MANAGER_COUNT;
    if (manager != NULL && n->list->select == SELECT_RECIPIENT)
        report_wrong(n, value_of(&n->from, KEY_MANAGER).entries, ERROR_MANAGER_OF_ALIAS, NULL);
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
        else if (is_own) /* of the defaults, it is left out */
            report_wrong(n, entry, HINT_IS_NEVER_KEPT, NULL);
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

/* Returns the first template of Archived-At with {sequence}, or NULL. A template that is left out
 * does not count (RULINGS 42). */
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
    list->numbered = list->sequence || template != NULL; /* RULINGS 9 */
    check_sequence_from(n);
    if (list->reused_message_id != REUSED_ACCEPT)
        asking = value_of(&n->from, KEY_REUSED_MESSAGE_ID).entries;
    else if (list->numbered && list->sequence_from == SEQUENCE_FROM_STORE)
        asking = list->sequence ? value_of(&n->from, KEY_SEQUENCE).entries : template;
    list->asks_store = asking != NULL;
    if (asking != NULL && n->b->lacks_store) /* RULINGS 74 */
        report_wrong(n, asking, ERROR_NO_STORE, NULL);
}
