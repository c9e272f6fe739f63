/* unsubscribe - see unsubscribe.h */
#include "config/lists/unsubscribe.h"

#include "spec/uri.h"

bool draft_check_recipient(struct list_draft *draft, const struct config_text *text)
{
    const struct template *uri = &text->of->text;
    /* RULINGS 16: the recipient of such a message is the list itself. */
    if (draft->list->select == SELECT_RECIPIENT)
        return draft_wrong(draft, text,
                           "names the recipient, which is the list itself when select = "
                           "\"recipient\" (expected a URI for all members)");
    for (size_t i = 0; i < uri->count; i++)
        if (uri->parts[i].variable == VAR_RECIPIENT_TOKEN && uri->parts[i].width > 0)
            return draft_wrong(draft, text,
                               "has {recipient_token} with a width, and what is cut off proves "
                               "nothing (expected it without a width)");
    /* RULINGS 17 */
    if ((uri->needs & VAR_BIT(VAR_RECIPIENT_TOKEN)) != 0 &&
        !draft->builder->given.has_recipient_key)
        return draft_wrong(draft, text,
                           "has {recipient_token}, and there is no key for it (expected "
                           "token_key_file = \"PATH\" in the main file)");
    return true;
}

uint64_t recipient_requested(const struct template *uri)
{
    uint64_t requested = 0;
    for (size_t i = 0; i < uri->count; i++) {
        const struct template_part *part = &uri->parts[i];
        if (span_find(template_literal(part), '#') < part->length)
            break;
        if (part->variable != VAR_COUNT && part->width == 0)
            requested |= VAR_BIT(part->variable) & VARS_RECIPIENT;
    }
    return requested;
}

/* A click on a URL that does not tell who is meant unsubscribes somebody else, or nobody. All else
 * that stands in the way only means that there is no click: see hint_links.c. */
void draft_one_click(struct list_draft *draft)
{
    const struct list *list = draft->list;
    const struct config_texts *texts = draft_texts(draft, KEY_UNSUBSCRIBE);
    if (!list->one_click || list->select == SELECT_RECIPIENT)
        return;
    if (texts->wrong || !draft->unsubscribe_made)
        return; /* what is missing may only be what is wrong */
    for (size_t i = 0; i < texts->count; i++) {
        const struct template *uri = &texts->items[i].of->text;
        bool is_https = uri->count > 0 && uri_has_scheme(template_literal(&uri->parts[0]), "https");
        if (is_https && recipient_requested(uri) == 0)
            draft_wrong(
                draft, &texts->items[i],
                "does not name the recipient, as unsubscribe_one_click = true needs it "
                "(expected {recipient} and {recipient_token} in it, whole and in front of any "
                "\"#\"; RFC 8058, 3.1)");
    }
}
