/* fields - the values of List-* fields and the templates of Archived-At, ready to be used. */
#include "config/lists/draft.h"
#include "config/tokens.h"
#include "mail/field_check.h"
#include "spec/list_fields.h"
#include "spec/uri.h"
#include "text/strbuf.h"

#include <stdio.h>
#include <string.h>

/* Values such as a message might have, to see what a template makes of them. */
static void add_samples(struct variable_values *values)
{
    static const struct {
        enum variable variable;
        const char *text;
    } samples[] = {
        {VAR_MESSAGE_ID, "a@b.example"},
        {VAR_MESSAGE_ID_HASH, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"},
        {VAR_LIST_ID_HASH, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"},
        {VAR_YEAR, "2024"},
        {VAR_MONTH, "9"},
        {VAR_DAY, "30"},
        {VAR_MONTH_NAME, "September"},
        {VAR_MONTH_ABBR, "Sep"},
        {VAR_SEQUENCE, "999999999999999"},
        {VAR_RECIPIENT, "user@b.example"},
        {VAR_RECIPIENT_TOKEN, "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQ"},
    };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        values->set |= VAR_BIT(samples[i].variable);
        values->text[samples[i].variable] = span_cstr(samples[i].text);
    }
}

/* The same for the tokens that the template needs. 0 or -1. */
static int add_token_samples(struct list_draft *draft, uint64_t needs,
                             struct variable_values *values)
{
    const struct settings *settings = draft->builder->settings;
    for (size_t i = 0; i < settings->token_names.count; i++) {
        size_t variable = VAR_FIRST_TOKEN + i;
        if ((needs & VAR_BIT(variable)) == 0)
            continue;
        values->set |= VAR_BIT(variable);
        values->text[variable] =
            token_sections_sample(&settings->tokens[i], &draft->builder->scratch);
        if (values->text[variable].p == NULL)
            return -1;
    }
    return 0;
}

/* The URI that a template gives with samples; it must still fit into a line, since what was made of
 * a sample is not yet the field. 0, 1: wrong, -1. */
static int check_sample(struct list_draft *draft, enum key key, const struct config_texts *texts,
                        const struct config_text *text, const struct template *bound,
                        enum field_name name)
{
    struct variable_values values = draft->values;
    add_samples(&values);
    if (add_token_samples(draft, bound->needs, &values) != 0)
        return -1;
    struct strbuf value = STRBUF_INIT;
    strbuf_add_char(&value, '<');
    template_expand(bound, TEMPLATE_URI, &values, &value, NULL);
    strbuf_add_char(&value, '>');
    int result = strbuf_failed(&value) ? -1 : 0;
    if (result == 0) {
        struct span all = strbuf_span(&value);
        const char *fault = template_host_fault(bound);
        if (fault == NULL)
            fault = uri_fault(span_sub(all, 1, all.n - 2));
        enum field_fault field_fault = field_check(span_cstr(field_name_text(name)), all);
        if (fault == NULL && field_fault != FIELD_FINE)
            fault = field_fault_text(field_fault);
        if (fault != NULL)
            result = draft_wrong(draft, key, texts, text, fault);
    }
    strbuf_free(&value);
    return result;
}

/* Checks the URI of an item. 0, 1: wrong, -1. */
static int check_item_uri(struct list_draft *draft, enum key key, const struct config_texts *texts,
                          const struct config_text *text, const struct template *bound,
                          enum field_name name)
{
    if (bound->needs != 0)
        return check_sample(draft, key, texts, text, bound, name);
    const char *fault = uri_fault(template_literal(bound));
    return fault == NULL ? 0 : draft_wrong(draft, key, texts, text, fault);
}

/* A comment is checked again, since a value may have a parenthesis. 0, 1 or -1. */
static int bind_comment(struct list_draft *draft, enum key key, const struct config_texts *texts,
                        const struct config_text *text, const struct template *in,
                        struct span *comment)
{
    struct template bound;
    int result =
        draft_bind(draft, key, texts, text, in, TEMPLATE_TEXT, &draft->builder->scratch, &bound);
    if (result != 0)
        return result;
    if ((bound.needs & VARS_RECIPIENT) != 0)
        return draft_wrong(draft, key, texts, text,
                           "has {recipient} or {recipient_token} in its comment (expected it in "
                           "the URI only)");
    struct list_item item;
    struct strbuf whole = STRBUF_INIT;
    *comment = template_literal(&bound);
    strbuf_add_str(&whole, "x:y ");
    strbuf_add_span(&whole, *comment);
    result = strbuf_failed(&whole) ? -1 : 0;
    if (result == 0) {
        const char *fault = list_item_split(strbuf_span(&whole), &item);
        if (fault != NULL)
            result = draft_wrong(draft, key, texts, text, fault);
    }
    strbuf_free(&whole);
    return result;
}

/* Of a list that the MTA expands, an item of the defaults that names the recipient, who is the list
 * itself, has no effect (RULINGS 16, 84). */
static bool is_left_out(const struct list_draft *draft, const struct config_texts *texts,
                        const struct config_text *text)
{
    return draft->list->select == SELECT_RECIPIENT && texts->from_defaults &&
           ((text->text.needs | text->comment.needs) & VARS_RECIPIENT) != 0;
}

/* What the URI of an item that names the recipient needs. 0, 1: wrong. */
static int check_recipient(struct list_draft *draft, enum key key, const struct config_texts *texts,
                           const struct config_text *text, const struct template *uri)
{
    const struct settings *settings = draft->builder->settings;
    /* RULINGS 16: the recipient of such a message is the list itself. */
    if (draft->list->select == SELECT_RECIPIENT)
        return draft_wrong(draft, key, texts, text,
                           "names the recipient, which is the list itself when select = "
                           "\"recipient\" (expected a URI for all members)");
    for (size_t i = 0; i < uri->count; i++)
        if (uri->parts[i].variable == VAR_RECIPIENT_TOKEN && uri->parts[i].width > 0)
            return draft_wrong(draft, key, texts, text,
                               "has {recipient_token} with a width, and what is cut off proves "
                               "nothing (expected it without a width)");
    /* RULINGS 17 */
    if ((uri->needs & VAR_BIT(VAR_RECIPIENT_TOKEN)) != 0 && settings->recipient_key_count == 0 &&
        !settings->recipient_keys_unread)
        return draft_wrong(draft, key, texts, text,
                           "has {recipient_token}, and there is no key for it (expected "
                           "token_key_file = \"PATH\" in the main file)");
    return 0;
}

struct bound_item {
    struct template uri;
    struct span before;
    struct span comment;
    bool is_no;
};

static int bind_item(struct list_draft *draft, enum key key, enum field_name name,
                     const struct config_texts *texts, const struct config_text *text,
                     struct bound_item *item)
{
    int result = 0;
    item->is_no = text->is_no;
    item->before = span_of(NULL, 0);
    item->comment = span_of(NULL, 0);
    if (!text->is_no) {
        result = draft_bind(draft, key, texts, text, &text->text, TEMPLATE_URI,
                            &draft->builder->scratch, &item->uri);
        if (result == 0)
            result = check_item_uri(draft, key, texts, text, &item->uri, name);
        if (result == 0 && (item->uri.needs & VARS_RECIPIENT) != 0)
            result = check_recipient(draft, key, texts, text, &item->uri);
    }
    if (result == 0 && text->before.count > 0)
        result = bind_comment(draft, key, texts, text, &text->before, &item->before);
    if (result == 0 && text->has_comment)
        result = bind_comment(draft, key, texts, text, &text->comment, &item->comment);
    return result;
}

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
static int render(struct list_draft *draft, enum key key, enum field_name name,
                  const struct config_texts *texts, const struct bound_item *bound, size_t count)
{
    struct list_builder *b = draft->builder;
    struct list_item *items = arena_calloc(&b->scratch, count, sizeof *items);
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
    struct span spelling = span_cstr(field_name_text(name));
    list_field_render(&value, spelling, items, count);
    bool failed = strbuf_failed(&value);
    if (!failed) {
        enum field_fault fault = field_check(spelling, strbuf_span(&value));
        if (fault != FIELD_FINE)
            draft_wrong(draft, key, texts, &texts->items[0], field_fault_text(fault));
        struct span *field = &draft->list->fields[name - LIST_FIRST_FIELD];
        *field = arena_dup(&b->settings->arena, strbuf_span(&value));
        failed = field->p == NULL;
        if (!failed && key == KEY_ARCHIVE)
            draft->list->archive = archive_in(*field, items, count);
    }
    strbuf_free(&value);
    return failed ? -1 : 0;
}

/* Items of which one needs the recipient stay templates. 0 or -1. */
static int keep_templates(struct list_draft *draft, const struct bound_item *bound, size_t count)
{
    static const struct variable_values none;
    struct arena *arena = &draft->builder->settings->arena;
    struct item_template *items = arena_calloc(arena, count, sizeof *items);
    if (items == NULL)
        return -1;
    for (size_t i = 0; i < count; i++) {
        /* Bound a second time only to copy it out of the scratch arena. */
        struct variable_values values = none;
        items[i].before = arena_dup(arena, bound[i].before);
        items[i].comment = arena_dup(arena, bound[i].comment);
        if (items[i].before.p == NULL || items[i].comment.p == NULL ||
            template_bind(&bound[i].uri, TEMPLATE_URI, &values, arena, &items[i].uri) != 0)
            return -1;
    }
    draft->list->unsubscribe = items;
    draft->list->unsubscribe_count = count;
    return 0;
}

static int build_field(struct list_draft *draft, enum key key, enum field_name name)
{
    const struct config_texts *texts = draft_texts(draft, key);
    bool needs_recipient = false, wrong = false;
    size_t count = 0;
    struct bound_item *bound = arena_calloc(&draft->builder->scratch, texts->count, sizeof *bound);
    if (bound == NULL)
        return -1;
    for (size_t i = 0; i < texts->count; i++) {
        if (is_left_out(draft, texts, &texts->items[i]))
            continue;
        int result = bind_item(draft, key, name, texts, &texts->items[i], &bound[count]);
        if (result < 0)
            return -1;
        wrong = wrong || result != 0;
        if ((bound[count++].uri.needs & VARS_RECIPIENT) != 0)
            needs_recipient = true;
    }
    if (wrong || count == 0)
        return 0;
    if (needs_recipient)
        return keep_templates(draft, bound, count);
    return render(draft, key, name, texts, bound, count);
}

int draft_items(struct list_draft *draft)
{
    static const struct {
        enum key key;
        enum field_name name;
    } fields[] = {
        {KEY_HELP, FIELD_LIST_HELP},   {KEY_SUBSCRIBE, FIELD_LIST_SUBSCRIBE},
        {KEY_POST, FIELD_LIST_POST},   {KEY_UNSUBSCRIBE, FIELD_LIST_UNSUBSCRIBE},
        {KEY_OWNER, FIELD_LIST_OWNER}, {KEY_ARCHIVE, FIELD_LIST_ARCHIVE},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (build_field(draft, fields[i].key, fields[i].name) != 0)
            return -1;
    list_variables(draft->list, &draft->values); /* {archive} is known now */
    return 0;
}

/* RULINGS 47: what a token is made of may need the address, too. 0, 1: wrong. */
static int check_tokens(struct list_draft *draft, const struct config_texts *texts,
                        const struct config_text *text)
{
    const struct settings *settings = draft->builder->settings;
    char fault[200];
    for (size_t i = 0; i < settings->token_names.count; i++) {
        struct span name = settings->token_names.names[i];
        if ((text->text.needs & VAR_BIT(VAR_FIRST_TOKEN + i)) == 0 ||
            (settings->tokens[i].of.needs & VARS_LIST & ~draft->values.set) == 0)
            continue;
        if (draft->address_wrong)
            return 1;
        snprintf(fault, sizeof fault,
                 "has {%.*s}, which is made of the address, and the list has no address (expected "
                 "address = \"LOCAL@DOMAIN\" in the list)",
                 (int)name.n, name.p);
        return draft_wrong(draft, KEY_ARCHIVED_AT, texts, text, fault);
    }
    return 0;
}

int draft_archived_at(struct list_draft *draft)
{
    struct list *list = draft->list;
    struct arena *arena = &draft->builder->settings->arena;
    const struct config_texts *texts = draft_texts(draft, KEY_ARCHIVED_AT);
    if (texts->count == 0)
        return 0;
    struct template *templates = arena_calloc(arena, texts->count, sizeof *templates);
    if (templates == NULL)
        return -1;
    list->archived_at = templates;
    for (size_t i = 0; i < texts->count; i++) {
        const struct config_text *text = &texts->items[i];
        struct template *bound = &templates[list->archived_at_count];
        if ((text->text.needs & VAR_BIT(VAR_ARCHIVE)) != 0 && list->archive.n == 0)
            continue; /* RULINGS 42 */
        int result = draft_bind(draft, KEY_ARCHIVED_AT, texts, text, &text->text, TEMPLATE_URI,
                                arena, bound);
        if (result == 0)
            result = check_tokens(draft, texts, text);
        if (result == 0)
            result = check_sample(draft, KEY_ARCHIVED_AT, texts, text, bound, FIELD_ARCHIVED_AT);
        if (result < 0)
            return -1;
        if (result == 0)
            list->archived_at_count++;
    }
    return 0;
}
