/* list_one_click - may List-Unsubscribe be used with one click (RFC 8058, RULINGS 15, 68)? */
#include "config/list_draft.h"
#include "spec/uri.h"

/* Is the URI of this scheme? An item that is bound tells it; all others begin with it as written.
 */
static bool has_scheme(const struct list *list, const struct config_texts *texts, size_t i,
                       const char *scheme)
{
    struct span uri = span_trim(texts->items[i].raw.text);
    if (list->unsubscribe_count > 0) {
        const struct template *t = &list->unsubscribe[i].uri;
        uri = t->count > 0 ? t->parts[0].literal : span_of(NULL, 0);
    }
    return uri_has_scheme(uri, scheme);
}

static void check_items(struct list_draft *draft, const struct config_texts *texts)
{
    const struct list *list = draft->list;
    bool has_https = false;
    for (size_t i = 0; i < texts->count; i++) {
        uint64_t needs = list->unsubscribe_count > 0 ? list->unsubscribe[i].uri.needs : 0;
        if (has_scheme(list, texts, i, "http"))
            draft_wrong(draft, KEY_UNSUBSCRIBE, texts, &texts->items[i],
                        "may not stand beside unsubscribe_one_click = true (expected https: and "
                        "mailto: only; RFC 8058, 3.1)");
        if (!has_scheme(list, texts, i, "https"))
            continue;
        has_https = true;
        if ((needs & VARS_RECIPIENT) == 0)
            draft_wrong(draft, KEY_UNSUBSCRIBE, texts, &texts->items[i],
                        "does not name the recipient, as unsubscribe_one_click = true needs it "
                        "(expected {recipient} and {recipient_token} in it; RFC 8058, 3.1)");
    }
    if (!has_https)
        draft_key_wrong(draft, KEY_UNSUBSCRIBE_ONE_CLICK,
                        "needs a https: URI that names the recipient (expected one in unsubscribe, "
                        "with {recipient} and {recipient_token})");
}

void draft_one_click(struct list_draft *draft)
{
    const struct list *list = draft->list;
    const struct config_texts *texts = draft_texts(draft, KEY_UNSUBSCRIBE);
    if (!list->one_click)
        return;
    if (list->select == SELECT_RECIPIENT) { /* RULINGS 16 */
        draft_key_wrong(draft, KEY_UNSUBSCRIBE_ONE_CLICK,
                        "cannot be used with select = \"recipient\", where the recipient is the "
                        "list itself");
        return;
    }
    bool built = list->unsubscribe_count > 0 || list_field(list, FIELD_LIST_UNSUBSCRIBE).n > 0;
    if (texts->wrong || (texts->count > 0 && !built))
        return; /* what is missing may only be what is wrong */
    check_items(draft, texts);
}
