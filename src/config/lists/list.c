/* list - see list.h */
#include "config/lists/list.h"

#include "mail/address.h"
#include "spec/list_id.h"
#include "spec/mailbox.h"
#include "spec/uri.h"

static void set(struct variable_values *values, enum variable variable, struct span text)
{
    values->set |= VAR_BIT(variable);
    values->text[variable] = text;
}

void list_variables(const struct list *list, struct variable_values *values)
{
    set(values, VAR_LIST_ID, list->id);
    set(values, VAR_LIST_LABEL, list_id_label(list->id));
    set(values, VAR_LIST_NAMESPACE, list_id_namespace(list->id));
    if (list->address.n > 0) {
        set(values, VAR_ADDRESS, list->address);
        set(values, VAR_ADDRESS_LOCAL, address_local(list->address));
        set(values, VAR_ADDRESS_DOMAIN, address_domain(list->address));
        values->ascii_domain = values->text[VAR_ADDRESS_DOMAIN];
        if (!span_is_printable_ascii(values->ascii_domain))
            values->ascii_domain = address_domain(list->mailbox);
    }
}

const struct list_text_array *list_items(const struct list *list, enum field_name name)
{
    return &list->texts->fields[name - FIELD_LIST_HELP];
}

bool list_leaves_out(const struct list *list, const struct list_text *text)
{
    uint64_t needs = text->text.needs | (text->comments != NULL ? text->comments[1].needs : 0);
    return (list->select == SELECT_RECIPIENT && (needs & VARS_RECIPIENT) != 0) ||
           (!list->has_web_archive && (needs & VAR_BIT(VAR_ARCHIVE)) != 0);
}

struct span list_expand(const struct template *t, const struct variable_values *values,
                        struct arena *arena)
{
    struct strbuf text = STRBUF_INIT;
    (void)template_expand(t, values, &text);
    return span_cstr(strbuf_keep(&text, arena));
}

enum variable list_item_make(const struct list_text *text, const struct variable_values *values,
                             struct arena *arena, struct list_item *item)
{
    struct strbuf uri = STRBUF_INIT;
    enum variable missing = template_expand(&text->text, values, &uri);
    *item = (struct list_item){.uri = span_cstr(strbuf_keep(&uri, arena)),
                               .is_no = text->text.count == 0};
    if (text->comments != NULL) {
        item->before = list_expand(&text->comments[0], values, arena);
        item->comment = list_expand(&text->comments[1], values, arena);
    }
    return missing;
}

const char *list_field_value(const struct list *list, enum field_name name,
                             const struct variable_values *values, struct arena *arena)
{
    struct strbuf value = STRBUF_INIT;
    if (name == FIELD_LIST_ID) {
        list_id_render(&value, list->description, list->id);
        return strbuf_keep(&value, arena);
    }
    const struct list_text_array *texts = list_items(list, name);
    struct list_item *items = arena_calloc(arena, texts->count, sizeof *items);
    size_t count = 0;
    for (size_t i = 0; i < texts->count; i++)
        if (!list_leaves_out(list, &texts->items[i]))
            (void)list_item_make(&texts->items[i], values, arena, &items[count++]);
    if (count > 0)
        list_field_render(&value, span_cstr(field_name_text(name)), items, count);
    return strbuf_keep(&value, arena);
}

void list_set_archive(const struct list *list, struct arena *arena, struct variable_values *values)
{
    const struct list_text_array *texts = list_items(list, FIELD_LIST_ARCHIVE);
    for (size_t i = 0; i < texts->count; i++) {
        struct span uri = list_expand(&texts->items[i].text, values, arena);
        if (!uri_has_scheme(uri, "https") && !uri_has_scheme(uri, "http"))
            continue;
        values->set |= VAR_BIT(VAR_ARCHIVE);
        values->text[VAR_ARCHIVE] = uri;
        return;
    }
}

void list_owners(const struct list *list, struct arena *arena, struct list_owners *owners)
{
    const struct list_text_array *texts = list_items(list, FIELD_LIST_OWNER);
    struct variable_values values = {0};
    owners->count = 0;
    list_variables(list, &values);
    for (size_t i = 0; i < texts->count; i++) {
        struct list_item item;
        (void)list_item_make(&texts->items[i], &values, arena, &item);
        mailboxes_of_mailto(item.uri, arena, owners->mailboxes, LIST_OWNERS_MAX, &owners->count);
    }
}

bool list_owners_have(const struct list_owners *owners, struct span mailbox)
{
    for (size_t i = 0; i < owners->count; i++)
        if (span_eq_nocase(owners->mailboxes[i], mailbox))
            return true;
    return false;
}
