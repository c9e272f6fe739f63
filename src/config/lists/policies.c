/* policies - see policies.h */
#include "config/lists/policies.h"

#include "spec/owned_fields.h"

static void read_policies(const struct list_draft *draft, struct list *list)
{
    list->select = (enum list_select)draft_choice(draft, KEY_SELECT);
    list->missing_message_id = (enum missing_policy)draft_choice(draft, KEY_MISSING_MESSAGE_ID);
    list->duplicate_message_id =
        (enum duplicate_policy)draft_choice(draft, KEY_DUPLICATE_MESSAGE_ID);
    list->crosspost = (enum crosspost_policy)draft_choice(draft, KEY_CROSSPOST);
    list->private_recipients = (enum private_policy)draft_choice(draft, KEY_PRIVATE_RECIPIENTS);
    list->oversigned = (enum oversigned_policy)draft_choice(draft, KEY_OVERSIGNED);
    list->sequence_from = (enum sequence_source)draft_choice(draft, KEY_SEQUENCE_FROM);
    list->archived_at_requires =
        (enum archived_at_condition)draft_choice(draft, KEY_ARCHIVED_AT_REQUIRES);
    list->reused_message_id = (enum reused_policy)draft_choice(draft, KEY_REUSED_MESSAGE_ID);
    list->on_store_failure = (enum store_failure_policy)draft_choice(draft, KEY_ON_STORE_FAILURE);
    list->message_id_hash = draft_bool(draft, KEY_MESSAGE_ID_HASH);
    list->honor_no_archive = draft_bool(draft, KEY_HONOR_NO_ARCHIVE);
    list->list_id_hash = draft_bool(draft, KEY_LIST_ID_HASH);
    list->alt_message_id = draft_bool(draft, KEY_ALT_MESSAGE_ID);
    list->replace_post = draft_bool(draft, KEY_REPLACE_POST);
    list->one_click = draft_bool(draft, KEY_UNSUBSCRIBE_ONE_CLICK);
}

void draft_policies(struct list_draft *draft)
{
    struct list_shared *shared = &draft->builder->shared;
    struct span id = draft->list->id;
    if (draft->has_own) {
        read_policies(draft, draft->list);
        return;
    }
    if (!shared->has_policies)
        read_policies(draft, &shared->policies);
    shared->has_policies = true;
    *draft->list = shared->policies;
    draft->list->id = id;
}

/* One name in `keep`. What the defaults name although nobody may keep it is left out; hints.c
 * says so. */
static void keep_field(struct list_draft *draft, const struct raw_item *item)
{
    const struct owned_field *owned = owned_field_find(field_name_find(item->text));
    if (owned == NULL)
        draft_item_wrong(draft, KEY_KEEP, item,
                         "is not the name of a field that a list owns (expected one such as "
                         "\"List-Unsubscribe\" or \"Archived-At\")");
    else if (!owned->never_kept)
        draft->list->keep |= FIELD_BIT(owned->name);
    else if (draft_is_own(draft, KEY_KEEP))
        draft_item_wrong(draft, KEY_KEEP, item, KEEP_FAULT);
}

/* RULINGS 26. A list that the MTA expands has its posts from posters: nothing of theirs stays. */
void draft_keep(struct list_draft *draft)
{
    const struct raw_value *value = draft_value(draft, KEY_KEEP);
    for (size_t i = 0; value != NULL && i < value->count; i++)
        keep_field(draft, &value->items[i]);
    if (draft->list->select != SELECT_RECIPIENT)
        return;
    draft->list->keep = 0;
    if (draft_is_own(draft, KEY_KEEP) && value != NULL && value->count > 0)
        draft_key_wrong(draft, KEY_KEEP,
                        "with select = \"recipient\" every field is a poster's, and none can be "
                        "kept (expected no keep in this list)");
}

static bool defaults_are_wrong(const struct list_builder *b)
{
    for (int key = 0; key < KEY_COUNT; key++)
        if (b->defaults.values[key].wrong || b->default_texts[key].wrong)
            return true;
    return false;
}

void draft_check_select(struct list_draft *draft)
{
    const struct list *list = draft->list;
    const char *needs = NULL;
    if (draft->wrong || defaults_are_wrong(draft->builder))
        return; /* what is missing may only be what is wrong */
    if (list->select == SELECT_RECIPIENT && list->address.n == 0)
        needs = "\"recipient\" needs the list's address (expected address = \"LOCAL@DOMAIN\" in "
                "the list)";
    if (list->select == SELECT_SENDER && list->address.n == 0 && !list->has_senders)
        needs = "\"sender\" needs to know the sender (expected senders = {\"LOCAL@DOMAIN\"} or "
                "address = \"LOCAL@DOMAIN\" in the list)";
    if (needs == NULL)
        return;
    say(draft->builder->diagnostics, SEVERITY_ERROR,
        place_of(draft->raw->file, draft_line(draft, KEY_SELECT), schema[KEY_SELECT].name),
        NO_VALUE, "%s", needs);
    draft->wrong = true;
}
