/* fields - the values of List-* fields, ready to be inserted. */
#include "config/lists/fields.h"

#include "config/lists/unsubscribe.h"
#include "mail/field_check.h"
#include "spec/list_fields.h"
#include "spec/list_id.h"
#include "spec/uri.h"
#include "text/strbuf.h"

/* Checks a finished value, puts it into the list and frees it. text: what may be wrong with it;
 * NULL: nothing. 0 or -1. */
static int finish(struct list_draft *draft, enum field_name name, struct strbuf *value,
                  const struct config_text *text)
{
    struct span *field = &draft->texts.fields[name - LIST_FIRST_FIELD];
    struct span spelling = span_cstr(field_name_text(name));
    bool failed = strbuf_failed(value);
    if (!failed) {
        enum field_fault fault = field_check(spelling, strbuf_span(value));
        if (fault != FIELD_FINE && text != NULL)
            draft_wrong(draft, text, field_fault_text(fault));
        draft->wrong = draft->wrong || fault != FIELD_FINE;
        *field = arena_dup(&draft->builder->scratch, strbuf_span(value));
    }
    strbuf_free(value);
    return failed || field->p == NULL ? -1 : 0;
}

/* LI-07, RULINGS 37, 38 */
static int build_list_id(struct list_draft *draft)
{
    const struct config_texts *texts = draft_texts(draft, KEY_DESCRIPTION);
    const struct config_text *text = texts->count > 0 ? &texts->items[0] : NULL;
    struct template bound = {NULL, 0, 0};
    enum outcome result = DONE;
    if (text != NULL)
        result =
            draft_bind(draft, text, &text->text, TEMPLATE_TEXT, &draft->builder->scratch, &bound);
    if (result != DONE)
        return result == NO_MEMORY ? -1 : 0;
    struct strbuf value = STRBUF_INIT;
    list_id_render(&value, template_literal(&bound), draft->list->id);
    return finish(draft, FIELD_LIST_ID, &value, text);
}

/* ---- items ---- */

struct bound_item {
    struct template uri;
    struct span before;
    struct span comment;
    bool is_no;
};

/* A comment is checked again, since a value may have a parenthesis. */
static enum outcome bind_comment(struct list_draft *draft, const struct config_text *text,
                                 const struct template *in, struct span *comment)
{
    struct template bound;
    struct list_item item;
    struct strbuf whole = STRBUF_INIT;
    enum outcome result =
        draft_bind(draft, text, in, TEMPLATE_TEXT, &draft->builder->scratch, &bound);
    if (result != DONE)
        return result;
    if ((bound.needs & VARS_RECIPIENT) != 0)
        return draft_wrong(draft, text,
                           "has {recipient} or {recipient_token} in its comment (expected it in "
                           "the URI only)");
    *comment = template_literal(&bound);
    strbuf_add_str(&whole, "x:y ");
    strbuf_add_span(&whole, *comment);
    const char *fault = NULL;
    if (strbuf_failed(&whole))
        result = NO_MEMORY;
    else
        fault = list_item_split(strbuf_span(&whole), &item);
    strbuf_free(&whole);
    return fault != NULL ? draft_wrong(draft, text, fault) : result;
}

static enum outcome bind_uri(struct list_draft *draft, const struct config_text *text,
                             enum field_name name, struct template *uri)
{
    enum outcome result =
        draft_bind(draft, text, &text->text, TEMPLATE_URI, &draft->builder->scratch, uri);
    if (result != DONE)
        return result;
    if (uri->needs == 0) {
        const char *fault = uri_fault(template_literal(uri));
        return fault != NULL ? draft_wrong(draft, text, fault) : DONE;
    }
    result = draft_try(draft, text, uri, name);
    if (result == DONE && (uri->needs & VARS_RECIPIENT) != 0)
        result = draft_check_recipient(draft, text, uri);
    return result;
}

static enum outcome bind_item(struct list_draft *draft, const struct config_text *text,
                              enum field_name name, struct bound_item *item)
{
    enum outcome result = DONE;
    item->is_no = text->is_no;
    if (!text->is_no)
        result = bind_uri(draft, text, name, &item->uri);
    if (result == DONE && text->before.count > 0)
        result = bind_comment(draft, text, &text->before, &item->before);
    if (result == DONE && text->has_comment)
        result = bind_comment(draft, text, &text->comment, &item->comment);
    return result;
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

/* The finished value of a field whose items need nothing of the message. 0 or -1. */
static int render(struct list_draft *draft, const struct config_text *first, enum field_name name,
                  const struct bound_item *bound, size_t count)
{
    struct list_item *items = arena_calloc(&draft->builder->scratch, count, sizeof *items);
    if (items == NULL)
        return -1;
    for (size_t i = 0; i < count; i++)
        items[i] = (struct list_item){
            .before = bound[i].before,
            .uri = bound[i].is_no ? span_of(NULL, 0) : template_literal(&bound[i].uri),
            .comment = bound[i].comment,
            .is_no = bound[i].is_no,
        };
    struct strbuf value = STRBUF_INIT;
    list_field_render(&value, span_cstr(field_name_text(name)), items, count);
    if (finish(draft, name, &value, first) != 0)
        return -1;
    if (name == FIELD_LIST_ARCHIVE)
        draft->texts.archive = archive_in(list_texts_field(&draft->texts, name), items, count);
    return 0;
}

/* Items of which one needs the recipient stay templates. 0 or -1. */
static int keep_templates(struct list_draft *draft, const struct bound_item *bound, size_t count)
{
    struct item_template *items = arena_calloc(&draft->builder->scratch, count, sizeof *items);
    if (items == NULL)
        return -1;
    for (size_t i = 0; i < count; i++)
        items[i] = (struct item_template){bound[i].uri, bound[i].before, bound[i].comment};
    draft->texts.unsubscribe = items;
    draft->texts.unsubscribe_count = count;
    return 0;
}

static int build_field(struct list_draft *draft, enum key key, enum field_name name)
{
    const struct config_texts *texts = draft_texts(draft, key);
    uint64_t needs = 0;
    bool wrong = false;
    size_t count = 0;
    struct bound_item *bound = arena_calloc(&draft->builder->scratch, texts->count, sizeof *bound);
    if (bound == NULL)
        return -1;
    for (size_t i = 0; i < texts->count; i++) {
        if (draft_is_left_out(draft, &texts->items[i]))
            continue;
        enum outcome result = bind_item(draft, &texts->items[i], name, &bound[count]);
        if (result == NO_MEMORY)
            return -1;
        wrong = wrong || result == REFUSED;
        needs |= bound[count++].uri.needs;
    }
    if (wrong || count == 0)
        return 0;
    if ((needs & VARS_RECIPIENT) != 0)
        return keep_templates(draft, bound, count);
    return render(draft, &texts->items[0], name, bound, count);
}

int draft_fields(struct list_draft *draft)
{
    static const struct {
        enum key key;
        enum field_name name;
    } fields[] = {
        {KEY_HELP, FIELD_LIST_HELP},   {KEY_SUBSCRIBE, FIELD_LIST_SUBSCRIBE},
        {KEY_POST, FIELD_LIST_POST},   {KEY_UNSUBSCRIBE, FIELD_LIST_UNSUBSCRIBE},
        {KEY_OWNER, FIELD_LIST_OWNER}, {KEY_ARCHIVE, FIELD_LIST_ARCHIVE},
    };
    if (build_list_id(draft) != 0)
        return -1;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (build_field(draft, fields[i].key, fields[i].name) != 0)
            return -1;
    if (draft->texts.archive.n > 0) {
        draft->values.set |= VAR_BIT(VAR_ARCHIVE);
        draft->values.text[VAR_ARCHIVE] = draft->texts.archive;
    }
    return 0;
}
