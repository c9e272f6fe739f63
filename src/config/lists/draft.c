/* draft - which value counts for a list, and where it stands. */
#include "config/lists/draft.h"

const struct config_texts *draft_texts(const struct list_draft *draft, enum key key)
{
    return draft_is_own(draft, key) ? &draft->own[key] : &draft->builder->default_texts[key];
}

const struct raw_value *draft_value(const struct list_draft *draft, enum key key)
{
    return raw_value_find(draft->raw, &draft->builder->defaults, key);
}

bool draft_is_own(const struct list_draft *draft, enum key key)
{
    return draft->raw->values[key].set;
}

int draft_line(const struct list_draft *draft, enum key key)
{
    const struct raw_value *value = &draft->raw->values[key];
    return value->set && value->count > 0 ? value->items[0].line : draft->raw->line;
}

struct place draft_place(const struct list_draft *draft, const struct config_text *text)
{
    struct place place = place_of(text->file, text->raw.line, schema[text->key].name);
    if (text->from_defaults)
        place.list = draft->list->id;
    return place;
}

struct place draft_key_place(const struct list_draft *draft, enum key key)
{
    const struct raw_value *value = draft_value(draft, key);
    bool own = draft_is_own(draft, key);
    struct place place =
        place_of(own ? draft->raw->file : draft->builder->defaults.file,
                 value != NULL && value->count > 0 ? value->items[0].line : 0, schema[key].name);
    if (!own)
        place.list = draft->list->id;
    return place;
}

static void wrong(struct list_draft *draft, struct place place, struct span value,
                  const char *fault)
{
    say(draft->builder->diagnostics, SEVERITY_ERROR, place, value, "%s", fault);
    draft->wrong = true;
}

enum outcome draft_wrong(struct list_draft *draft, const struct config_text *text,
                         const char *fault)
{
    wrong(draft, draft_place(draft, text), text->raw.text, fault);
    return REFUSED;
}

void draft_key_wrong(struct list_draft *draft, enum key key, const char *fault)
{
    wrong(draft, draft_key_place(draft, key), NO_VALUE, fault);
}

void draft_item_wrong(struct list_draft *draft, enum key key, const struct raw_item *item,
                      const char *fault)
{
    struct place place = draft_key_place(draft, key);
    place.line = item->line;
    wrong(draft, place, item->text, fault);
}

enum outcome draft_bind(struct list_draft *draft, const struct config_text *text,
                        const struct template *in, enum template_kind kind, struct arena *arena,
                        struct template *out)
{
    struct span domain = draft->values.text[VAR_ADDRESS_DOMAIN];
    if (draft->address.ascii_domain.n > 0 && kind == TEMPLATE_URI &&
        (template_host_variables(in) & VAR_BIT(VAR_ADDRESS_DOMAIN)) != 0) /* RULINGS 51, 67 */
        draft->values.text[VAR_ADDRESS_DOMAIN] = draft->address.ascii_domain;
    int result = template_bind(in, kind, &draft->values, arena, out);
    draft->values.text[VAR_ADDRESS_DOMAIN] = domain;
    if (result != 0)
        return NO_MEMORY;
    if ((out->needs & VARS_LIST) == 0)
        return DONE;
    if (draft->address_wrong)
        return REFUSED; /* the list has an address, and what is wrong with it has been said */
    return draft_wrong(draft, text,
                       "uses a variable of the address, and the list has no address (expected "
                       "address = \"LOCAL@DOMAIN\" in the list)");
}

enum outcome draft_in_bounds(struct list_draft *draft, struct span domain)
{
    struct list_builder *b = draft->builder;
    return b->bounds == NULL ? DONE : domains_cover(b->bounds, domain, &b->scratch);
}
