/* store_wants - see store_wants.h */
#include "config/lists/store_wants.h"

#include <stdio.h>

/* Says that the store which this key asks for is not built in (RULINGS 74); for a key of the
 * defaults once. text is the template that needs it, or NULL. */
static void refuse(struct list_draft *draft, enum key key, const struct config_text *text)
{
    struct list_builder *b = draft->builder;
    char fault[200];
    if (!draft_is_own(draft, key)) {
        uint64_t bit = UINT64_C(1) << key;
        draft->wrong = true;
        if ((b->shared.refused & bit) != 0)
            return;
        b->shared.refused |= bit;
    }
    snprintf(fault, sizeof fault, "%s the store, which is not available (%s)",
             text == NULL ? "needs" : "has {sequence}, which needs", b->given.store_missing);
    if (text == NULL)
        draft_key_wrong(draft, key, fault);
    else
        draft_wrong(draft, text, fault);
}

/* The text of the first template of Archived-At with {sequence}, or NULL. One that is left out does
 * not count (RULINGS 42). */
static const struct config_text *numbered_text(const struct list_draft *draft)
{
    const struct config_texts *texts = draft_texts(draft, KEY_ARCHIVED_AT);
    for (size_t i = 0; i < texts->count; i++) {
        const struct list_text *text = texts->items[i].of;
        if ((text->text.needs & VAR_BIT(VAR_SEQUENCE)) != 0 && !list_leaves_out(draft->list, text))
            return &texts->items[i];
    }
    return NULL;
}

/* RULINGS 84: of a list that the MTA expands the sender is a poster, who would choose the number.
 */
static void check_source(struct list_draft *draft)
{
    struct list *list = draft->list;
    if (list->select != SELECT_RECIPIENT || list->sequence_from != SEQUENCE_FROM_SENDER)
        return;
    list->sequence_from = SEQUENCE_FROM_STORE; /* the value of the defaults has no effect */
    if (draft_is_own(draft, KEY_SEQUENCE_FROM))
        draft_key_wrong(draft, KEY_SEQUENCE_FROM,
                        "\"envelope-sender\" with select = \"recipient\" would be the poster, who "
                        "could choose the number (expected \"store\")");
}

void draft_store_wants(struct list_draft *draft)
{
    struct list *list = draft->list;
    const struct list_builder *b = draft->builder;
    check_source(draft);
    const struct config_text *text = numbered_text(draft);
    bool sequence = draft_bool(draft, KEY_SEQUENCE);
    bool reused = list->reused_message_id != REUSED_ACCEPT;
    list->numbered = sequence || text != NULL; /* RULINGS 9 */
    bool counted = list->numbered && list->sequence_from == SEQUENCE_FROM_STORE;
    list->asks_store = counted || reused;

    bool missing = b->given.store_missing != NULL;
    if (missing && counted && sequence)
        refuse(draft, KEY_SEQUENCE, NULL);
    if (missing && counted && text != NULL)
        refuse(draft, KEY_ARCHIVED_AT, text);
    if (missing && reused)
        refuse(draft, KEY_REUSED_MESSAGE_ID, NULL);

    /* RULINGS 50: the number stands behind the address's local part. */
    if (list->sequence_from == SEQUENCE_FROM_SENDER && list->address.n == 0 &&
        !draft->address_wrong && (list->numbered || draft_is_own(draft, KEY_SEQUENCE_FROM)))
        draft_key_wrong(draft, KEY_SEQUENCE_FROM,
                        "\"envelope-sender\" needs the list's address (expected address = "
                        "\"LOCAL@DOMAIN\" in the list)");
}
