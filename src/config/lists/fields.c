/* fields - the values of List-* fields, ready to be inserted. */
#include "config/lists/fields.h"

#include "config/lists/unsubscribe.h"
#include "mail/field_check.h"
#include "spec/list_fields.h"
#include "spec/list_id.h"
#include "spec/uri.h"
#include "text/strbuf.h"

/* Checks a finished value, puts it into the list and frees it. text: what may be wrong with it;
 * NULL: nothing. */
static void finish(struct list_draft *draft, enum field_name name, struct strbuf *value,
                   const struct config_text *text)
{
    struct span *field = &draft->texts.fields[name - LIST_FIRST_FIELD];
    enum field_fault fault = field_check(span_cstr(field_name_text(name)), strbuf_span(value));
    if (fault != FIELD_FINE && text != NULL)
        draft_wrong(draft, text, field_fault_text(fault));
    draft->wrong = draft->wrong || fault != FIELD_FINE;
    *field = arena_dup(&draft->builder->scratch, strbuf_span(value));
    strbuf_free(value);
}

/* LI-07, RULINGS 37, 38 */
static void build_list_id(struct list_draft *draft)
{
    const struct config_texts *texts = draft_texts(draft, KEY_DESCRIPTION);
    const struct config_text *text = texts->count > 0 ? &texts->items[0] : NULL;
    struct template bound = {NULL, 0, 0};
    if (text != NULL &&
        !draft_bind(draft, text, &text->text, TEMPLATE_TEXT, &draft->builder->scratch, &bound))
        return;
    struct strbuf value = STRBUF_INIT;
    list_id_render(&value, template_literal(&bound), draft->list->id);
    finish(draft, FIELD_LIST_ID, &value, text);
}

/* ---- items ---- */

struct bound_item {
    struct template uri;
    struct span before;
    struct span comment;
    bool is_no;
};

/* A comment is checked again, since a value may have a parenthesis. */
static bool bind_comment(struct list_draft *draft, const struct config_text *text,
                         const struct template *in, struct span *comment)
{
    struct template bound;
    struct list_item item;
    struct strbuf whole = STRBUF_INIT;
    if (!draft_bind(draft, text, in, TEMPLATE_TEXT, &draft->builder->scratch, &bound))
        return false;
    if ((bound.needs & VARS_RECIPIENT) != 0)
        return draft_wrong(draft, text,
                           "has {recipient} or {recipient_token} in its comment (expected it in "
                           "the URI only)");
    *comment = template_literal(&bound);
    strbuf_add_str(&whole, "x:y ");
    strbuf_add_span(&whole, *comment);
    const char *fault = list_item_split(strbuf_span(&whole), &item);
    strbuf_free(&whole);
    return fault == NULL || draft_wrong(draft, text, fault);
}

static bool bind_uri(struct list_draft *draft, const struct config_text *text, enum field_name name,
                     struct template *uri)
{
    if (!draft_bind(draft, text, &text->text, TEMPLATE_URI, &draft->builder->scratch, uri))
        return false;
    if (uri->needs == 0) {
        const char *fault = uri_fault(template_literal(uri));
        return fault == NULL || draft_wrong(draft, text, fault);
    }
    return draft_try(draft, text, uri, name) &&
           ((uri->needs & VARS_RECIPIENT) == 0 || draft_check_recipient(draft, text, uri));
}

static bool bind_item(struct list_draft *draft, const struct config_text *text,
                      enum field_name name, struct bound_item *item)
{
    item->is_no = text->is_no;
    return (text->is_no || bind_uri(draft, text, name, &item->uri)) &&
           (text->before.count == 0 || bind_comment(draft, text, &text->before, &item->before)) &&
           (!text->has_comment || bind_comment(draft, text, &text->comment, &item->comment));
}

bool draft_is_left_out(const struct list_draft *draft, const struct config_text *text)
{
    return draft->list->select == SELECT_RECIPIENT && text->from_defaults &&
           ((text->text.needs | text->comment.needs) & VARS_RECIPIENT) != 0;
}

/* ---- fields ---- */

/* The URI of the first item that is one of the web (RULINGS 42), as a part of the field that holds
 * it; empty: there is none. */
static struct span archive_in(struct span field, const struct list_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct span uri = items[i].uri;
        if (!uri_has_scheme(uri, "https") && !uri_has_scheme(uri, "http"))
            continue;
        for (size_t at = 0; at + uri.n <= field.n; at++)
            if (span_eq(span_sub(field, at, uri.n), uri))
                return span_sub(field, at, uri.n);
    }
    return span_of(NULL, 0);
}

/* Renders a field whose items need nothing of the message. */
static void render(struct list_draft *draft, const struct config_text *first, enum field_name name,
                   const struct bound_item *bound, size_t count)
{
    struct list_item *items = arena_calloc(&draft->builder->scratch, count, sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = (struct list_item){
            .before = bound[i].before,
            .uri = bound[i].is_no ? span_of(NULL, 0) : template_literal(&bound[i].uri),
            .comment = bound[i].comment,
            .is_no = bound[i].is_no,
        };
    struct strbuf value = STRBUF_INIT;
    list_field_render(&value, span_cstr(field_name_text(name)), items, count);
    finish(draft, name, &value, first);
    if (name == FIELD_LIST_ARCHIVE)
        draft->texts.archive = archive_in(list_texts_field(&draft->texts, name), items, count);
}

/* Keeps items of which one needs the recipient as templates. */
static void keep_templates(struct list_draft *draft, const struct bound_item *bound, size_t count)
{
    struct item_template *items = arena_calloc(&draft->builder->scratch, count, sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = (struct item_template){bound[i].uri, bound[i].before, bound[i].comment};
    draft->texts.unsubscribe = items;
    draft->texts.unsubscribe_count = count;
}

static void build_field(struct list_draft *draft, enum key key, enum field_name name)
{
    const struct config_texts *texts = draft_texts(draft, key);
    uint64_t needs = 0;
    bool wrong = false;
    size_t count = 0;
    struct bound_item *bound = arena_calloc(&draft->builder->scratch, texts->count, sizeof *bound);
    for (size_t i = 0; i < texts->count; i++) {
        if (draft_is_left_out(draft, &texts->items[i]))
            continue;
        wrong = !bind_item(draft, &texts->items[i], name, &bound[count]) || wrong;
        needs |= bound[count++].uri.needs;
    }
    if (wrong || count == 0)
        return;
    if ((needs & VARS_RECIPIENT) != 0)
        keep_templates(draft, bound, count);
    else
        render(draft, &texts->items[0], name, bound, count);
}

void draft_fields(struct list_draft *draft)
{
    static const struct {
        enum key key;
        enum field_name name;
    } fields[] = {
        {KEY_HELP, FIELD_LIST_HELP},   {KEY_SUBSCRIBE, FIELD_LIST_SUBSCRIBE},
        {KEY_POST, FIELD_LIST_POST},   {KEY_UNSUBSCRIBE, FIELD_LIST_UNSUBSCRIBE},
        {KEY_OWNER, FIELD_LIST_OWNER}, {KEY_ARCHIVE, FIELD_LIST_ARCHIVE},
    };
    build_list_id(draft);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        build_field(draft, fields[i].key, fields[i].name);
    if (draft->texts.archive.n > 0) {
        draft->values.set |= VAR_BIT(VAR_ARCHIVE);
        draft->values.text[VAR_ARCHIVE] = draft->texts.archive;
    }
}
