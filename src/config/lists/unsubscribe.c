/* unsubscribe - see unsubscribe.h */
#include "config/lists/unsubscribe.h"

#include "spec/uri.h"

bool draft_check_recipient(struct list_draft *draft, const struct config_text *text,
                           const struct template *uri)
{
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

/* Is it a https: URI? An item that is bound tells it; all others begin with it as written. */
static bool is_https(const struct list_texts *built, const struct config_texts *texts, size_t i)
{
    struct span uri = span_trim(texts->items[i].raw.text);
    if (built->unsubscribe_count > 0) {
        const struct template *t = &built->unsubscribe[i].uri;
        uri = t->count > 0 ? t->parts[0].literal : span_of(NULL, 0);
    }
    return uri_has_scheme(uri, "https");
}

uint64_t recipient_requested(const struct template *uri)
{
    uint64_t requested = 0;
    for (size_t i = 0; i < uri->count; i++) {
        const struct template_part *part = &uri->parts[i];
        if (part->variable == VAR_COUNT && span_find(part->literal, '#') < part->literal.n)
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
    const struct list_texts *built = &draft->texts;
    if (texts->wrong ||
        (built->unsubscribe_count == 0 && list_texts_field(built, FIELD_LIST_UNSUBSCRIBE).n == 0))
        return; /* what is missing may only be what is wrong */
    for (size_t i = 0; i < texts->count; i++) {
        bool named =
            built->unsubscribe_count > 0 && recipient_requested(&built->unsubscribe[i].uri) != 0;
        if (is_https(built, texts, i) && !named)
            draft_wrong(
                draft, &texts->items[i],
                "does not name the recipient, as unsubscribe_one_click = true needs it "
                "(expected {recipient} and {recipient_token} in it, whole and in front of any "
                "\"#\"; RFC 8058, 3.1)");
    }
}
