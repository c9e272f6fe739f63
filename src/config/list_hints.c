/* list_hints - what is legal but unwise in a list. */
#include "config/list_draft.h"
#include "spec/list_id.h"
#include "spec/owned_fields.h"
#include "spec/uri.h"

/* What hints are about of which a key has several: bits of list_builder.hinted_about. */
enum hint_about {
    ABOUT_ALIAS_CLICK,
    ABOUT_HTTPS_LACKING,
    ABOUT_HTTP_BESIDE,
    ABOUT_HTTPS_COUNT,
    ABOUT_TOKEN_ALONE,
    ABOUT_LIST_ID_KEPT,
    ABOUT_POST_KEPT,
    ABOUT_NEVER_KEPT,
    ABOUT_UNSUBSCRIBE_KEPT,
    ABOUT_POSTER_NUMBERS
};

/* Has this hint been given for the defaults? Ten thousand lists may take a value from there. */
static bool is_told(uint64_t *told, unsigned about)
{
    uint64_t bit = UINT64_C(1) << about;
    bool was = (*told & bit) != 0;
    *told |= bit;
    return was;
}

static void hint(struct list_draft *draft, enum key key, const struct config_texts *texts,
                 const struct config_text *text, const char *what)
{
    if (texts->from_defaults && is_told(&draft->builder->hinted, key))
        return;
    complain_value(draft->builder->diagnostics, SEVERITY_HINT, draft_place(draft, texts, text),
                   schema[key].name, text->raw.text, what);
}

/* About a key that the list itself sets. */
static void hint_key(struct list_draft *draft, enum key key, const char *what)
{
    diagnostics_add(draft->builder->diagnostics, SEVERITY_HINT, draft->raw->file,
                    draft_line(draft, key), "%s: %s", schema[key].name, what);
}

static void hint_list(struct list_draft *draft, const char *key, const char *what)
{
    struct shown shown;
    diagnostics_add(draft->builder->diagnostics, SEVERITY_HINT, draft->raw->file, draft->raw->line,
                    "%s: %s, in list \"%s\"", key, what, shown_text(draft->list->id, &shown));
}

/* The same about a key that many lists may take from the defaults: then once, where it stands. */
static void hint_once(struct list_draft *draft, enum key key, enum hint_about about,
                      const char *what)
{
    if (draft_is_own(draft, key))
        hint_list(draft, schema[key].name, what);
    else if (!is_told(&draft->builder->hinted_about, about))
        draft_key_say(draft, SEVERITY_HINT, key, what);
}

/* LH-04: a mail program without a browser must be able to use the field. */
static void hint_mailto(struct list_draft *draft, enum key key, const struct config_texts *texts)
{
    bool has_mailto = false;
    if (texts->count == 0 || key == KEY_ARCHIVE || texts->items[0].is_no)
        return;
    for (size_t i = 0; i < texts->count; i++) {
        const struct config_text *text = &texts->items[i];
        if (!uri_has_scheme(span_trim(text->raw.text), "mailto"))
            continue;
        has_mailto = true;
        bool address = span_find(text->raw.text, '@') < text->raw.text.n ||
                       span_find(text->raw.text, '{') < text->raw.text.n;
        if (!address && span_find(text->raw.text, '%') == text->raw.text.n)
            hint(draft, key, texts, text, "has no \"@\": mail to it may not find its way");
    }
    if (!has_mailto)
        hint(draft, key, texts, &texts->items[0],
             "stands without a mailto: URI, which every mail program could use (RFC 2369, 1)");
}

static void hint_items(struct list_draft *draft)
{
    for (int key = LIST_FIRST_KEY; key <= LIST_LAST_KEY; key++) {
        if (config_item_key((enum key)key))
            hint_mailto(draft, (enum key)key, draft_texts(draft, (enum key)key));
    }
}

static void hint_archive(struct list_draft *draft)
{
    const struct list *list = draft->list;
    const struct config_texts *archive = draft_texts(draft, KEY_ARCHIVE);
    const struct config_texts *archived_at = draft_texts(draft, KEY_ARCHIVED_AT);
    bool is_web = uri_has_scheme(list->archive, "https") || uri_has_scheme(list->archive, "http");
    if (is_web && !archived_at->set && archive->count > 0)
        hint(draft, KEY_ARCHIVE, archive, &archive->items[0],
             "is an archive, but posts get no Archived-At (usual, if the archive understands it: "
             "archived_at = {\"{archive}/{message_id_hash}\"})");
    if (list->archive.n > 0 || archived_at->from_defaults)
        return;
    for (size_t i = 0; i < archived_at->count; i++)
        if ((archived_at->items[i].text.needs & VAR_BIT(VAR_ARCHIVE)) != 0)
            hint(draft, KEY_ARCHIVED_AT, archived_at, &archived_at->items[i],
                 "is left out, because the list has no archive (expected archive = {\"URI\"})");
}

/* RULINGS 26: in the list's own `keep` that is an error. */
static void hint_never_kept(struct list_draft *draft)
{
    const struct raw_value *value = &draft->builder->defaults.values[KEY_KEEP];
    if (draft_is_own(draft, KEY_KEEP) || is_told(&draft->builder->hinted_about, ABOUT_NEVER_KEPT))
        return;
    for (size_t i = 0; i < value->count; i++) {
        const struct owned_field *owned = owned_field_find(field_name_find(value->items[i].text));
        struct place place = draft_key_place(draft, KEY_KEEP);
        place.line = value->items[i].line;
        if (owned != NULL && owned->never_kept)
            complain_value(draft->builder->diagnostics, SEVERITY_HINT, place, schema[KEY_KEEP].name,
                           value->items[i].text, KEEP_FAULT);
    }
}

static void hint_keep(struct list_draft *draft)
{
    const struct list *list = draft->list;
    const uint64_t unsubscribe_post = FIELD_BIT(FIELD_LIST_UNSUBSCRIBE_POST);
    hint_never_kept(draft);
    if (list->keep == 0)
        return;
    if ((list->keep & FIELD_BIT(FIELD_LIST_ID)) != 0)
        hint_once(
            draft, KEY_KEEP, ABOUT_LIST_ID_KEPT,
            "the first List-Id of a post is kept, which may be a poster's: then the list's own "
            "goes, and the post is not known as the list's any more");
    if ((list->keep & unsubscribe_post) != 0 &&
        (list->keep & FIELD_BIT(FIELD_LIST_UNSUBSCRIBE)) == 0)
        hint_once(draft, KEY_KEEP, ABOUT_POST_KEPT,
                  "List-Unsubscribe-Post is of use only beside the List-Unsubscribe that it came "
                  "with (expected both to be kept)");
    if (list->one_click && (list->keep & FIELD_BIT(FIELD_LIST_UNSUBSCRIBE)) != 0)
        hint_once(draft, KEY_KEEP, ABOUT_UNSUBSCRIBE_KEPT,
                  "a post may keep a List-Unsubscribe of its own, so none gets a "
                  "List-Unsubscribe-Post, in spite of unsubscribe_one_click = true");
}

/* SU-16, RULINGS 50 */
static void hint_numbers(struct list_draft *draft)
{
    const struct list *list = draft->list;
    bool from_sender = list->sequence_from == SEQUENCE_FROM_SENDER;
    if (draft_is_own(draft, KEY_SEQUENCE_FROM) && from_sender && !list->numbered)
        hint_key(draft, KEY_SEQUENCE_FROM,
                 "has no effect, since the list wants no number (expected sequence = true, or "
                 "{sequence} in archived_at)");
    if (from_sender && list->numbered && list->select == SELECT_RECIPIENT)
        hint_once(draft, KEY_SEQUENCE_FROM, ABOUT_POSTER_NUMBERS,
                  "with select = \"recipient\" the envelope sender is the poster, who can choose "
                  "the number");
    if (draft_is_own(draft, KEY_ON_STORE_FAILURE) && !list->asks_store &&
        list->on_store_failure != STORE_FAILURE_TEMPFAIL)
        hint_key(draft, KEY_ON_STORE_FAILURE,
                 "has no effect, since the list does not use the store");
}

/* LI-11, LH-12 */
static void hint_nesting(struct list_draft *draft)
{
    const struct list *list = draft->list;
    if (list->nesting != NULL)
        return;
    if (draft_is_own(draft, KEY_PARENT_SOURCES) && draft->raw->values[KEY_PARENT_SOURCES].count > 0)
        hint_key(draft, KEY_PARENT_SOURCES,
                 "has no effect, since the list has no parents (expected parents = {\"LIST-ID\"})");
    if (draft_is_own(draft, KEY_REPLACE_POST) && list->replace_post)
        hint_key(draft, KEY_REPLACE_POST,
                 "has no effect, since the list has no parents (expected parents = {\"LIST-ID\"})");
}

/* RULINGS 15, 16, 68: what keeps the list from being used with one click; NULL: nothing. */
static const char *why_no_click(const struct list *list, const struct config_texts *texts,
                                enum hint_about *about)
{
    size_t https = 0, http = 0;
    for (size_t i = 0; i < texts->count; i++) {
        https += uri_has_scheme(span_trim(texts->items[i].raw.text), "https") ? 1 : 0;
        http += uri_has_scheme(span_trim(texts->items[i].raw.text), "http") ? 1 : 0;
    }
    *about = ABOUT_ALIAS_CLICK;
    if (list->select == SELECT_RECIPIENT)
        return "has no effect with select = \"recipient\", where the recipient is the list itself";
    *about = ABOUT_HTTPS_LACKING;
    if (https == 0)
        return "has no effect without a https: URI that names the recipient (expected one in "
               "unsubscribe, with {recipient} and {recipient_token})";
    *about = ABOUT_HTTP_BESIDE;
    if (http > 0)
        return "has no effect beside a http: URI in unsubscribe (expected https: and mailto: only; "
               "RFC 8058, 3.1)";
    *about = ABOUT_HTTPS_COUNT;
    if (https == 2)
        return "has no effect with two https: URIs in unsubscribe (expected exactly one; RFC 8058, "
               "3.1)";
    return https > 2 ? "has no effect with several https: URIs in unsubscribe (expected exactly "
                       "one; RFC 8058, 3.1)"
                     : NULL;
}

/* The defaults may ask for it although one list or the other cannot have it. */
static void hint_no_click(struct list_draft *draft, const struct config_texts *texts)
{
    enum hint_about about;
    const char *why = draft->list->one_click ? why_no_click(draft->list, texts, &about) : NULL;
    if (why == NULL || (!draft_is_own(draft, KEY_UNSUBSCRIBE_ONE_CLICK) &&
                        is_told(&draft->builder->hinted_about, about)))
        return;
    draft_key_say(draft, SEVERITY_HINT, KEY_UNSUBSCRIBE_ONE_CLICK, why);
}

/* RULINGS 17: the token is made of the list and the address, so whoever checks it needs both. */
static void hint_token_alone(struct list_draft *draft, const struct config_texts *texts)
{
    for (size_t i = 0; i < draft->list->unsubscribe_count; i++) {
        const struct config_text *text = &texts->items[i];
        struct span uri = span_trim(text->raw.text);
        if ((text->text.needs & VARS_RECIPIENT) != VAR_BIT(VAR_RECIPIENT_TOKEN) ||
            !(uri_has_scheme(uri, "https") || uri_has_scheme(uri, "http")))
            continue;
        if (texts->from_defaults && is_told(&draft->builder->hinted_about, ABOUT_TOKEN_ALONE))
            return;
        complain_value(draft->builder->diagnostics, SEVERITY_HINT, draft_place(draft, texts, text),
                       schema[KEY_UNSUBSCRIBE].name, text->raw.text,
                       "has {recipient_token}, which the web server cannot verify without the "
                       "address (expected {recipient} in it, too)");
    }
}

/* RFC 8058 5: an address alone is easily forged. */
static void hint_one_click(struct list_draft *draft, const struct config_texts *texts)
{
    const struct list *list = draft->list;
    for (size_t i = 0; list->one_click && i < list->unsubscribe_count; i++) {
        const struct config_text *text = &texts->items[i];
        bool is_https = uri_has_scheme(span_trim(text->raw.text), "https");
        if (!is_https || (text->text.needs & VARS_RECIPIENT) != VAR_BIT(VAR_RECIPIENT))
            continue;
        if (texts->from_defaults && is_told(&draft->builder->hinted, KEY_UNSUBSCRIBE_ONE_CLICK))
            return;
        complain_value(draft->builder->diagnostics, SEVERITY_HINT, draft_place(draft, texts, text),
                       schema[KEY_UNSUBSCRIBE].name, text->raw.text,
                       "lets anyone who knows an address unsubscribe it with one click (expected "
                       "{recipient_token} in it, which the web server verifies)");
    }
}

/* RULINGS 12, 69: a post whose envelope sender is a command address is no post. */
static void hint_senders(struct list_draft *draft)
{
    const struct list *list = draft->list;
    const struct config_texts *texts = draft_texts(draft, KEY_COMMAND_ADDRESSES);
    if (list->select != SELECT_SENDER)
        return;
    for (size_t i = 0; i < list->command_address_count; i++) {
        const struct config_text *text = &texts->items[i];
        if (text->from_only ||
            list_by_sender(&draft->builder->settings->index, list->command_addresses[i]) != list)
            continue;
        hint(draft, KEY_COMMAND_ADDRESSES, texts, text,
             list->has_senders
                 ? "is one of senders, too: each post with it counts as a command response, not as "
                   "a post (expected \"from:\" before it, or another address)"
                 : "is derived from address, as the senders of posts are: each post with it counts "
                   "as a command response, not as a post (expected \"from:\" before it, or those "
                   "of posts alone in senders)");
    }
}

void draft_hints(struct list_draft *draft)
{
    const struct config_texts *unsubscribe = draft_texts(draft, KEY_UNSUBSCRIBE);
    if (list_id_lacks_randomness(draft->list->id))
        hint_list(draft, "list",
                  "an id in \"localhost\" should have 32 random hexadecimal digits and MMYYYY as a "
                  "label of their own (RFC 2919, 5)");
    hint_items(draft);
    hint_archive(draft);
    hint_keep(draft);
    hint_numbers(draft);
    hint_nesting(draft);
    hint_no_click(draft, unsubscribe);
    hint_token_alone(draft, unsubscribe);
    hint_one_click(draft, unsubscribe);
    hint_senders(draft);
}
