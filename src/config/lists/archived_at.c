/* archived_at - see archived_at.h */
#include "config/lists/archived_at.h"

#include <stdio.h>

/* RULINGS 47: what a token is made of may need the address, too. */
static bool check_tokens(struct list_draft *draft, const struct config_text *text)
{
    const struct list_surroundings *given = &draft->builder->given;
    char fault[200];
    for (size_t i = 0; i < given->token_names->count; i++) {
        struct span name = given->token_names->names[i];
        if ((text->of->text.needs & VAR_BIT(VAR_FIRST_TOKEN + i)) == 0 ||
            (given->tokens[i].of.needs & VARS_LIST & ~draft->values.set) == 0)
            continue;
        if (draft->address_wrong)
            return false;
        snprintf(fault, sizeof fault,
                 "has {%.*s}, which is made of the address, and the list has no address (expected "
                 "address = \"LOCAL@DOMAIN\" in the list)",
                 (int)name.n, name.p);
        return draft_wrong(draft, text, fault);
    }
    return true;
}

void draft_archived_at(struct list_draft *draft)
{
    const struct config_texts *texts = draft_texts(draft, KEY_ARCHIVED_AT);
    for (size_t i = 0; i < texts->count; i++) {
        const struct config_text *text = &texts->items[i];
        if (list_leaves_out(draft->list, text->of))
            continue;
        if (draft_has_values(draft, text, &text->of->text) && check_tokens(draft, text) &&
            draft_try(draft, text, FIELD_ARCHIVED_AT))
            draft->list->archived_at = true;
    }
}
