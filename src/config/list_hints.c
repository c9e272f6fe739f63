/* list_hints - what is legal but unwise in a list. */
#include "config/list_draft.h"
#include "spec/list_id.h"
#include "spec/owned_fields.h"
#include "spec/uri.h"

/* Once for each key of the defaults: ten thousand lists may take a text from there. */
static void hint(struct list_draft *draft, enum key key, const struct config_texts *texts,
                 const struct config_text *text, const char *what)
{
    struct list_builder *b = draft->builder;
    struct place place = draft_place(draft, texts, text);
    if (texts->from_defaults) {
        uint64_t bit = UINT64_C(1) << key;
        if ((b->hinted & bit) != 0)
            return;
        b->hinted |= bit;
    }
    complain_value(b->diagnostics, SEVERITY_HINT, place, schema[key].name, text->raw.text, what);
}

static void hint_list(struct list_draft *draft, const char *key, const char *what)
{
    struct shown shown;
    diagnostics_add(draft->builder->diagnostics, SEVERITY_HINT, draft->raw->file, draft->raw->line,
                    "%s: %s, in list \"%s\"", key, what, shown_text(draft->list->id, &shown));
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

static void hint_keep(struct list_draft *draft)
{
    const struct list *list = draft->list;
    const uint64_t unsubscribe_post = FIELD_BIT(FIELD_LIST_UNSUBSCRIBE_POST);
    if (list->keep == 0)
        return;
    if (list->select == SELECT_RECIPIENT && draft->raw->values[KEY_KEEP].set)
        hint_list(draft, "keep",
                  "with select = \"recipient\" every poster can set the fields that are kept");
    if (list->select != SELECT_RECIPIENT && (list->keep & FIELD_BIT(FIELD_LIST_ID)) != 0)
        hint_list(
            draft, "keep",
            "the first List-Id of a post is kept, which may be a poster's: then the list's own "
            "goes, and the post is not known as the list's any more");
    if ((list->keep & unsubscribe_post) != 0 &&
        (list->keep & FIELD_BIT(FIELD_LIST_UNSUBSCRIBE)) == 0)
        hint_list(draft, "keep",
                  "List-Unsubscribe-Post is of use only beside the List-Unsubscribe that it came "
                  "with (expected both to be kept)");
}

void draft_hints(struct list_draft *draft)
{
    if (list_id_lacks_randomness(draft->list->id))
        hint_list(draft, "list",
                  "an id in \"localhost\" should have 32 random hexadecimal digits and MMYYYY as a "
                  "label of their own (RFC 2919, 5)");
    hint_items(draft);
    hint_archive(draft);
    hint_keep(draft);
}
