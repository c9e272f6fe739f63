/* draft - see draft.h */
#include "config/lists/draft.h"

#include "mail/field_check.h"
#include "text/strbuf.h"

enum value_source draft_source(const struct list_draft *draft, enum key key)
{
    if (draft_is_own(draft, key))
        return FROM_LIST;
    if (draft->builder->defaults.values[key].set)
        return FROM_DEFAULTS;
    return draft->preset != NULL && draft->preset->section.values[key].set ? FROM_MANAGER
                                                                           : BUILT_IN;
}

const struct raw_section *draft_fallback(const struct list_draft *draft, enum key key)
{
    bool by_manager = draft->preset != NULL && !draft->builder->defaults.values[key].set;
    return by_manager ? &draft->preset->section : &draft->builder->defaults;
}

const struct config_texts *draft_texts(const struct list_draft *draft, enum key key)
{
    switch (draft_source(draft, key)) {
    case FROM_LIST:
        return &draft->own[key];
    case FROM_MANAGER:
        return &draft->preset->texts[key];
    case FROM_DEFAULTS:
    case BUILT_IN:
    default:
        return &draft->builder->default_texts[key];
    }
}

const struct raw_value *draft_value(const struct list_draft *draft, enum key key)
{
    return raw_value_find(draft->raw, draft_fallback(draft, key), key);
}

bool draft_bool(const struct list_draft *draft, enum key key)
{
    return raw_bool(draft->raw, draft_fallback(draft, key), key);
}

int draft_choice(const struct list_draft *draft, enum key key)
{
    return raw_choice(draft->raw, draft_fallback(draft, key), key);
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

static void take_from_defaults(const struct list_draft *draft, struct place *place)
{
    place->list = draft->list->id;
    place->taken_from = "the defaults";
}

/* Nobody wrote what a manager stands for: the list's line with `manager`, or its first. */
static struct place manager_place(const struct list_draft *draft, enum key key)
{
    struct place place =
        place_of(draft->raw->file, draft_line(draft, KEY_MANAGER), schema[key].name);
    place.list = draft->list->id;
    place.taken_from = "its manager";
    return place;
}

static struct place text_place(const struct list_draft *draft, const struct config_text *text)
{
    struct place place = place_of(text->file, text->raw.line, schema[text->key].name);
    if (text->file == NULL)
        return manager_place(draft, text->key);
    if (text->from_defaults)
        take_from_defaults(draft, &place);
    return place;
}

struct place draft_key_place(const struct list_draft *draft, enum key key)
{
    const struct raw_value *value = draft_value(draft, key);
    bool own = draft_is_own(draft, key);
    if (draft_source(draft, key) == FROM_MANAGER)
        return manager_place(draft, key);
    struct place place =
        place_of(own ? draft->raw->file : draft->builder->defaults.file,
                 value != NULL && value->count > 0 ? value->items[0].line : 0, schema[key].name);
    if (!own)
        take_from_defaults(draft, &place);
    return place;
}

static void wrong(struct list_draft *draft, struct place place, struct span value,
                  const char *fault)
{
    say(draft->builder->diagnostics, SEVERITY_ERROR, place, value, "%s", fault);
    draft->wrong = true;
}

bool draft_wrong(struct list_draft *draft, const struct config_text *text, const char *fault)
{
    wrong(draft, text_place(draft, text), text->raw.text, fault);
    return false;
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

static void hint(struct list_draft *draft, struct place place, struct span value, const char *what)
{
    draft->hints++;
    size_t most = place.taken_from != NULL ? 1 : HINT_LISTS_TOLD;
    struct diagnostics *d =
        hint_groups_count(draft->builder->hints, place.key, what, draft->list, most);
    if (d != NULL)
        say(d, SEVERITY_HINT, place, value, "%s", what);
}

void draft_hint(struct list_draft *draft, const struct config_text *text, const char *what)
{
    hint(draft, text_place(draft, text), text->raw.text, what);
}

void draft_hint_key(struct list_draft *draft, enum key key, const char *what)
{
    if (draft_is_own(draft, key))
        draft_hint_list(draft, key, what);
    else
        hint(draft, draft_key_place(draft, key), NO_VALUE, what);
}

void draft_hint_list(struct list_draft *draft, enum key key, const char *what)
{
    struct place place = place_of(draft->raw->file, draft_line(draft, key), schema[key].name);
    place.list = draft->list->id;
    hint(draft, place, NO_VALUE, what);
}

bool draft_has_values(struct list_draft *draft, const struct config_text *text,
                      const struct template *t)
{
    if ((t->needs & VARS_LIST & ~draft->values.set) == 0)
        return true;
    if (draft->address_wrong)
        return false; /* the list has an address, and what is wrong with it has been said */
    if (text->from_defaults) {
        /* The mistake is in the list, and one line is enough for all texts that need the address.
         */
        struct place place = place_of(draft->raw->file, draft->raw->line, schema[KEY_LIST].name);
        say(draft->builder->diagnostics, SEVERITY_ERROR, place, draft->list->id,
            "has no address, which %s of the defaults needs (expected address = "
            "\"LOCAL@DOMAIN\" in the list)",
            schema[text->key].name);
        draft->wrong = draft->address_wrong = true;
        return false;
    }
    return draft_wrong(draft, text,
                       "uses a variable of the address, and the list has no address (expected "
                       "address = \"LOCAL@DOMAIN\" in the list)");
}

bool draft_in_bounds(struct list_draft *draft, struct span domain)
{
    struct list_builder *b = draft->builder;
    return b->bounds == NULL || domains_cover(b->bounds, domain, &b->scratch);
}

/* Adds samples of the tokens that a template needs: the length of each is known. */
static void add_tokens(struct list_builder *b, uint64_t needs, struct variable_values *values)
{
    for (size_t i = 0; i < b->given.token_names->count; i++) {
        size_t variable = VAR_FIRST_TOKEN + i;
        if ((needs & VAR_BIT(variable)) == 0)
            continue;
        values->set |= VAR_BIT(variable);
        values->text[variable] = token_sample(&b->given.tokens[i], &b->scratch);
    }
}

struct span draft_expand(struct list_draft *draft, const struct template *t)
{
    struct strbuf text = STRBUF_INIT;
    (void)template_expand(t, &draft->values, &text);
    return span_cstr(strbuf_keep(&text, &draft->builder->scratch));
}

bool draft_try(struct list_draft *draft, const struct config_text *text, enum field_name name)
{
    const struct template *uri = &text->of->text;
    struct variable_values values = draft->values;
    struct strbuf value = STRBUF_INIT;
    add_tokens(draft->builder, uri->needs, &values);
    strbuf_add_char(&value, '<');
    const char *fault = template_try(uri, &values, NULL, &value);
    strbuf_add_char(&value, '>');
    enum field_fault field_fault =
        field_check(span_cstr(field_name_text(name)), strbuf_span(&value));
    strbuf_free(&value);
    if (fault == NULL && field_fault != FIELD_FINE)
        fault = field_fault_text(field_fault);
    return fault == NULL || draft_wrong(draft, text, fault);
}
