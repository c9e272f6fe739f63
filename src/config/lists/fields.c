/* fields - see fields.h */
#include "config/lists/fields.h"

#include "config/lists/unsubscribe.h"
#include "mail/field_check.h"
#include "spec/list_fields.h"
#include "spec/uri.h"
#include "text/strbuf.h"

/* Checks the value of a field that needs nothing of a message. text: its first text, or NULL. */
static void check_value(struct list_draft *draft, enum field_name name,
                        const struct config_text *text)
{
    struct span value =
        list_field_value(draft->list, name, &draft->values, &draft->builder->scratch);
    enum field_fault fault = field_check(span_cstr(field_name_text(name)), value);
    if (fault != FIELD_FINE && text != NULL)
        draft_wrong(draft, text, field_fault_text(fault));
    draft->wrong = draft->wrong || fault != FIELD_FINE;
}

/* LI-07, RULINGS 37, 38 */
static void check_list_id(struct list_draft *draft)
{
    const struct config_texts *texts = draft_texts(draft, KEY_DESCRIPTION);
    const struct config_text *text = texts->count > 0 ? &texts->items[0] : NULL;
    draft->list->description = text != NULL ? &text->of->text : NULL;
    if (text == NULL || draft_has_values(draft, text, &text->of->text))
        check_value(draft, FIELD_LIST_ID, text);
}

/* Checks a comment again, since a value may have a parenthesis. */
static bool check_comment(struct list_draft *draft, const struct config_text *text,
                          const struct template *comment)
{
    struct list_item item;
    struct strbuf whole = STRBUF_INIT;
    if (!draft_has_values(draft, text, comment))
        return false;
    if ((comment->needs & VARS_RECIPIENT) != 0)
        return draft_wrong(draft, text,
                           "has {recipient} or {recipient_token} in its comment (expected it in "
                           "the URI only)");
    strbuf_add_str(&whole, "x:y ");
    (void)template_expand(comment, &draft->values, &whole);
    const char *fault = list_item_split(strbuf_span(&whole), &item);
    strbuf_free(&whole);
    return fault == NULL || draft_wrong(draft, text, fault);
}

static bool check_uri(struct list_draft *draft, const struct config_text *text,
                      enum field_name name)
{
    const struct template *uri = &text->of->text;
    if (!draft_has_values(draft, text, uri))
        return false;
    if ((uri->needs & VARS_RECIPIENT) != 0)
        return draft_try(draft, text, name) && draft_check_recipient(draft, text);
    const char *fault = uri_fault(draft_expand(draft, uri));
    return fault == NULL || draft_wrong(draft, text, fault);
}

static bool check_item(struct list_draft *draft, const struct config_text *text,
                       enum field_name name)
{
    const struct template *comments = text->of->comments;
    return (list_text_is_no(text->of) || check_uri(draft, text, name)) &&
           (comments == NULL ||
            (check_comment(draft, text, &comments[0]) && check_comment(draft, text, &comments[1])));
}

bool draft_is_left_out(const struct list_draft *draft, const struct config_text *text)
{
    return text->from_defaults && list_leaves_out(draft->list, text->of);
}

/* Checks a field. True if it has items, and no error in one of them. */
static bool check_field(struct list_draft *draft, enum key key, enum field_name name)
{
    const struct config_texts *texts = draft_texts(draft, key);
    uint64_t needs = 0;
    bool wrong = false;
    size_t count = 0;
    for (size_t i = 0; i < texts->count; i++) {
        if (draft_is_left_out(draft, &texts->items[i]))
            continue;
        wrong = !check_item(draft, &texts->items[i], name) || wrong;
        needs |= texts->items[i].of->text.needs;
        count++;
    }
    if (wrong || count == 0)
        return false;
    if ((needs & VARS_RECIPIENT) == 0)
        check_value(draft, name, &texts->items[0]);
    return true;
}

/* Keys and their fields, in the order of the messages. */
static const struct {
    enum key key;
    enum field_name name;
} fields[] = {
    {KEY_HELP, FIELD_LIST_HELP},   {KEY_SUBSCRIBE, FIELD_LIST_SUBSCRIBE},
    {KEY_POST, FIELD_LIST_POST},   {KEY_UNSUBSCRIBE, FIELD_LIST_UNSUBSCRIBE},
    {KEY_OWNER, FIELD_LIST_OWNER}, {KEY_ARCHIVE, FIELD_LIST_ARCHIVE},
};
#define FIELD_COUNT (sizeof fields / sizeof fields[0])

static const struct list_texts *new_texts(const struct list_draft *draft)
{
    struct list_texts *texts = arena_calloc(draft->builder->given.arena, 1, sizeof *texts);
    for (size_t i = 0; i < FIELD_COUNT; i++)
        texts->fields[fields[i].name - FIELD_LIST_HELP] =
            draft_texts(draft, fields[i].key)->compiled;
    texts->archived_at = draft_texts(draft, KEY_ARCHIVED_AT)->compiled;
    return texts;
}

/* Returns the texts of the list. A list without texts of its own shares them. */
static const struct list_texts *texts_of(const struct list_draft *draft)
{
    const struct list_texts **shared =
        &draft->builder->shared
             .texts[draft->preset != NULL ? draft->preset->manager : MANAGER_COUNT];
    bool has_own = draft_is_own(draft, KEY_ARCHIVED_AT);
    for (size_t i = 0; i < FIELD_COUNT; i++)
        has_own = has_own || draft_is_own(draft, fields[i].key);
    if (has_own)
        return new_texts(draft);
    if (*shared == NULL)
        *shared = new_texts(draft);
    return *shared;
}

void draft_fields(struct list_draft *draft)
{
    draft->list->texts = texts_of(draft);
    check_list_id(draft);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        bool is_made = check_field(draft, fields[i].key, fields[i].name);
        if (is_made && fields[i].name == FIELD_LIST_UNSUBSCRIBE)
            draft->unsubscribe_made = true;
        if (is_made && fields[i].name == FIELD_LIST_ARCHIVE)
            list_set_archive(draft->list, &draft->builder->scratch, &draft->values);
    }
    draft->list->has_web_archive = (draft->values.set & VAR_BIT(VAR_ARCHIVE)) != 0;
}
