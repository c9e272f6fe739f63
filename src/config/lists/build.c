/* build - builds one list after the other from its values and those of the defaults. */
#include "config/lists/build.h"

#include "config/lists/addresses.h"
#include "config/lists/draft.h"
#include "mail/address.h"
#include "mail/field_check.h"
#include "spec/list_id.h"
#include "spec/owned_fields.h"
#include "text/strbuf.h"

#include <stdlib.h>
#include <string.h>

#define TEMPLATES_MAX 32  /* of archived_at */
#define ITEMS_MAX     100 /* of any other value of a list */

_Static_assert(KEY_COUNT <= 64, "list_builder.refused has a bit for each key");

void list_builder_init(struct list_builder *b, struct settings *settings,
                       struct diagnostics *diagnostics)
{
    memset(b, 0, sizeof *b);
    b->settings = settings;
    b->diagnostics = diagnostics;
    b->origins_told = DIAGNOSTICS_KEPT;
    arena_init(&b->scratch, 16384);
    arena_init(&b->kept, 0);
    hint_groups_init(&b->hints);
}

void list_builder_free(struct list_builder *b)
{
    arena_free(&b->scratch);
    arena_free(&b->kept);
    hint_groups_free(&b->hints);
    free(b->origins);
    b->origins = NULL;
}

/* ---- what the parts of a list have in common ---- */

const struct config_texts *draft_texts(const struct list_draft *draft, enum key key)
{
    return draft->raw->values[key].set ? &draft->own[key] : &draft->builder->default_texts[key];
}

/* Compiles all texts of the list's own section. */
static int compile_texts(struct list_draft *draft)
{
    struct list_builder *b = draft->builder;
    for (int key = LIST_FIRST_KEY; key <= LIST_LAST_KEY; key++) {
        const struct raw_value *value = &draft->raw->values[key];
        if (!value->set || !config_text_key((enum key)key))
            continue;
        if (config_texts_compile((enum key)key, value, draft->raw->file, &b->scratch,
                                 &b->settings->token_names, b->diagnostics, &draft->own[key]) != 0)
            return -1;
        draft->wrong = draft->wrong || draft->own[key].wrong;
    }
    return 0;
}

struct place draft_place(const struct list_draft *draft, enum key key,
                         const struct config_texts *texts, const struct config_text *text)
{
    struct place place = place_of(texts->file, text->raw.line, schema[key].name);
    if (texts->from_defaults)
        place.list = draft->list->id;
    return place;
}

int draft_wrong(struct list_draft *draft, enum key key, const struct config_texts *texts,
                const struct config_text *text, const char *fault)
{
    say(draft->builder->diagnostics, SEVERITY_ERROR, draft_place(draft, key, texts, text),
        text->raw.text, "%s", fault);
    draft->wrong = true;
    return 1;
}

int draft_bind(struct list_draft *draft, enum key key, const struct config_texts *texts,
               const struct config_text *text, const struct template *in, enum template_kind kind,
               struct arena *arena, struct template *out)
{
    struct span domain = draft->values.text[VAR_ADDRESS_DOMAIN];
    if (draft->address.ascii_domain.n > 0 && kind == TEMPLATE_URI &&
        (template_host_variables(in) & VAR_BIT(VAR_ADDRESS_DOMAIN)) != 0) /* RULINGS 51, 67 */
        draft->values.text[VAR_ADDRESS_DOMAIN] = draft->address.ascii_domain;
    int result = template_bind(in, kind, &draft->values, arena, out);
    draft->values.text[VAR_ADDRESS_DOMAIN] = domain;
    if (result != 0)
        return -1;
    if ((out->needs & VARS_LIST) == 0)
        return 0;
    if (draft->address_wrong)
        return 1; /* the list has an address, and what is wrong with it has been said */
    return draft_wrong(draft, key, texts, text,
                       "uses a variable of the address, and the list has no address (expected "
                       "address = \"LOCAL@DOMAIN\" in the list)");
}

bool draft_is_own(const struct list_draft *draft, enum key key)
{
    return draft->raw->values[key].set;
}

struct place draft_key_place(const struct list_draft *draft, enum key key)
{
    const struct list_builder *b = draft->builder;
    const struct raw_value *value = raw_value_find(draft->raw, &b->defaults, key);
    bool own = draft_is_own(draft, key);
    return (struct place){own ? draft->raw->file : b->defaults.file,
                          value != NULL && value->count > 0 ? value->items[0].line : 0,
                          own ? span_of(NULL, 0) : draft->list->id, schema[key].name};
}

void draft_key_wrong(struct list_draft *draft, enum key key, const char *fault)
{
    say(draft->builder->diagnostics, SEVERITY_ERROR, draft_key_place(draft, key), NO_VALUE, "%s",
        fault);
    draft->wrong = true;
}

void draft_item_wrong(struct list_draft *draft, enum key key, const struct raw_item *item,
                      const char *fault)
{
    struct place place = draft_key_place(draft, key);
    place.line = item->line;
    say(draft->builder->diagnostics, SEVERITY_ERROR, place, item->text, "%s", fault);
    draft->wrong = true;
}

/* ---- the parts of a list ---- */

int draft_bind_address(struct list_draft *draft, enum key key, const struct config_texts *texts,
                       const struct config_text *text, struct configured_address *address)
{
    struct arena *arena = &draft->builder->settings->arena;
    struct template bound;
    int result = draft_bind(draft, key, texts, text, &text->text, TEMPLATE_TEXT,
                            &draft->builder->scratch, &bound);
    if (result != 0)
        return result;
    struct span literal = template_literal(&bound);
    const char *fault = key == KEY_ALIASES ? alias_fault(literal) : address_fault(literal);
    if (fault != NULL)
        return draft_wrong(draft, key, texts, text, fault);
    int inside = draft_in_domains(draft, address_domain(literal));
    if (inside == 0 && key == KEY_ALIASES && texts->from_defaults)
        return 1; /* meant for the administrator's lists: no delegate gets them by a choice of name
                   */
    if (inside != 1)
        return inside < 0 ? -1
                          : draft_wrong(draft, key, texts, text, draft->builder->delegate->outside);
    literal = arena_dup(arena, literal);
    if (literal.p == NULL)
        return -1;
    result = address_configured(literal, arena, address, &fault);
    return result == 1 ? draft_wrong(draft, key, texts, text, fault) : result;
}

static int build_address(struct list_draft *draft)
{
    const struct config_texts *texts = draft_texts(draft, KEY_ADDRESS);
    bool is_there = texts->count > 0 && span_trim(texts->items[0].raw.text).n > 0;
    int result = 0;
    if (is_there) /* address = "" says that there is none (RULINGS 84) */
        result = draft_bind_address(draft, KEY_ADDRESS, texts, &texts->items[0], &draft->address);
    if (result < 0)
        return -1;
    if (is_there && result == 0)
        draft->list->address = draft->address.text;
    draft->address_wrong = result != 0 || texts->wrong;
    list_variables(draft->list, &draft->values);
    return 0;
}

/* LI-07, RULINGS 37, 38 */
static int build_list_id(struct list_draft *draft)
{
    struct list *list = draft->list;
    const struct config_texts *texts = draft_texts(draft, KEY_DESCRIPTION);
    struct template bound = {NULL, 0, 0};
    const struct config_text *text = texts->count > 0 ? &texts->items[0] : NULL;
    if (text != NULL) {
        int result = draft_bind(draft, KEY_DESCRIPTION, texts, text, &text->text, TEMPLATE_TEXT,
                                &draft->builder->scratch, &bound);
        if (result != 0)
            return result < 0 ? -1 : 0;
    }

    struct strbuf value = STRBUF_INIT;
    list_id_render(&value, template_literal(&bound), list->id);
    enum field_fault fault =
        field_check(span_cstr(field_name_text(FIELD_LIST_ID)), strbuf_span(&value));
    if (!strbuf_failed(&value) && fault != FIELD_FINE) {
        if (text != NULL)
            draft_wrong(draft, KEY_DESCRIPTION, texts, text, field_fault_text(fault));
        draft->wrong = true;
    }
    struct span *field = &list->fields[FIELD_LIST_ID - LIST_FIRST_FIELD];
    if (!strbuf_failed(&value))
        *field = arena_dup(&draft->builder->settings->arena, strbuf_span(&value));
    bool failed = strbuf_failed(&value) || field->p == NULL;
    strbuf_free(&value);
    return failed ? -1 : 0;
}

/* One name in `keep`. What the defaults name although nobody may keep it is left out; list_hints.c
 * says so. */
static void keep_field(struct list_draft *draft, const struct raw_item *item)
{
    const struct owned_field *owned = owned_field_find(field_name_find(item->text));
    if (owned == NULL)
        draft_item_wrong(draft, KEY_KEEP, item,
                         "is not the name of a field that a list owns (expected one such as "
                         "\"List-Unsubscribe\" or \"Archived-At\")");
    else if (!owned->never_kept)
        draft->list->keep |= FIELD_BIT(owned->name);
    else if (draft_is_own(draft, KEY_KEEP))
        draft_item_wrong(draft, KEY_KEEP, item, KEEP_FAULT);
}

/* RULINGS 26. A list that the MTA expands has its posts from posters: nothing of theirs stays. */
static void build_keep(struct list_draft *draft)
{
    const struct raw_value *value = raw_value_find(draft->raw, &draft->builder->defaults, KEY_KEEP);
    for (size_t i = 0; value != NULL && i < value->count; i++)
        keep_field(draft, &value->items[i]);
    if (draft->list->select != SELECT_RECIPIENT)
        return;
    draft->list->keep = 0;
    if (draft_is_own(draft, KEY_KEEP) && value->count > 0)
        draft_key_wrong(draft, KEY_KEEP,
                        "with select = \"recipient\" every field is a poster's, and none can be "
                        "kept (expected no keep in this list)");
}

static void build_policies(struct list_draft *draft)
{
    struct list *list = draft->list;
    const struct raw_section *raw = draft->raw;
    const struct raw_section *defaults = &draft->builder->defaults;
    list->select = (enum list_select)raw_choice(raw, defaults, KEY_SELECT);
    list->missing_message_id =
        (enum missing_policy)raw_choice(raw, defaults, KEY_MISSING_MESSAGE_ID);
    list->duplicate_message_id =
        (enum duplicate_policy)raw_choice(raw, defaults, KEY_DUPLICATE_MESSAGE_ID);
    list->crosspost = (enum crosspost_policy)raw_choice(raw, defaults, KEY_CROSSPOST);
    list->private_recipients =
        (enum private_policy)raw_choice(raw, defaults, KEY_PRIVATE_RECIPIENTS);
    list->oversigned = (enum oversigned_policy)raw_choice(raw, defaults, KEY_OVERSIGNED);
    list->sequence_from = (enum sequence_source)raw_choice(raw, defaults, KEY_SEQUENCE_FROM);
    list->archived_at_requires =
        (enum archived_at_condition)raw_choice(raw, defaults, KEY_ARCHIVED_AT_REQUIRES);
    list->reused_message_id = (enum reused_policy)raw_choice(raw, defaults, KEY_REUSED_MESSAGE_ID);
    list->on_store_failure =
        (enum store_failure_policy)raw_choice(raw, defaults, KEY_ON_STORE_FAILURE);
    list->message_id_hash = raw_bool(raw, defaults, KEY_MESSAGE_ID_HASH);
    list->honor_no_archive = raw_bool(raw, defaults, KEY_HONOR_NO_ARCHIVE);
    list->list_id_hash = raw_bool(raw, defaults, KEY_LIST_ID_HASH);
    list->alt_message_id = raw_bool(raw, defaults, KEY_ALT_MESSAGE_ID);
    list->replace_post = raw_bool(raw, defaults, KEY_REPLACE_POST);
    list->one_click = raw_bool(raw, defaults, KEY_UNSUBSCRIBE_ONE_CLICK);
}

static bool has_wrong_value(const struct raw_section *raw)
{
    for (int key = 0; key < KEY_COUNT; key++)
        if (raw->values[key].wrong)
            return true;
    return false;
}

static bool has_wrong_text(const struct config_texts *texts)
{
    for (int key = 0; key < KEY_COUNT; key++)
        if (texts[key].wrong)
            return true;
    return false;
}

/* RULINGS 87: whoever writes a list file must not take all memory; the defaults are the
 * administrator's. `parents` has a limit of its own, in list_nesting.c. */
static void check_counts(struct list_draft *draft)
{
    for (int key = LIST_FIRST_KEY; key <= LIST_LAST_KEY; key++) {
        size_t count = draft->raw->values[key].count;
        if (key == KEY_PARENTS || count <= (key == KEY_ARCHIVED_AT ? TEMPLATES_MAX : ITEMS_MAX))
            continue;
        draft_key_wrong(draft, (enum key)key,
                        key == KEY_ARCHIVED_AT ? "has too many templates (expected at most 32)"
                                               : "has too many values (expected at most 100)");
        draft->too_many = true;
    }
}

static void check_select(struct list_draft *draft)
{
    const struct list *list = draft->list;
    const char *needs = NULL;
    if (draft->wrong || has_wrong_value(&draft->builder->defaults) ||
        has_wrong_text(draft->builder->default_texts))
        return; /* what is missing may only be what is wrong */
    if (list->select == SELECT_RECIPIENT && list->address.n == 0)
        needs = "\"recipient\" needs the list's address (expected address = \"LOCAL@DOMAIN\" in "
                "the list)";
    if (list->select == SELECT_SENDER && list->address.n == 0 && !list->has_senders)
        needs = "\"sender\" needs to know the sender (expected senders = {\"LOCAL@DOMAIN\"} or "
                "address = \"LOCAL@DOMAIN\" in the list)";
    if (needs == NULL)
        return;
    say(draft->builder->diagnostics, SEVERITY_ERROR,
        place_of(draft->raw->file, draft_line(draft, KEY_SELECT), "select"), NO_VALUE, "%s", needs);
    draft->wrong = true;
}

/* ---- lists ---- */

static int build(struct list_draft *draft)
{
    check_counts(draft);
    if (draft->too_many)
        return 0;
    build_policies(draft);
    if (compile_texts(draft) != 0 || build_address(draft) != 0)
        return -1;
    int result = draft_enter_id(draft);
    if (result != 0)
        return result < 0 ? -1 : 0;
    if (build_list_id(draft) != 0 || draft_items(draft) != 0 || draft_archived_at(draft) != 0 ||
        draft_nesting(draft) != 0 || draft_check_parents(draft) != 0 ||
        draft_enter_addresses(draft) != 0)
        return -1;
    build_keep(draft);
    draft_numbers(draft);
    draft_one_click(draft);
    check_select(draft);
    if (!draft->wrong)
        draft_hints(draft);
    return 0;
}

int list_builder_add(struct list_builder *b, const struct raw_section *raw)
{
    if (list_id_fault(raw->title) != NULL) {
        list_builder_wrong_id(b, raw);
        return 0;
    }
    arena_reset(&b->scratch);
    struct list_draft draft = {.builder = b, .raw = raw, .wrong = has_wrong_value(raw)};
    draft.list = arena_calloc(&b->settings->arena, 1, sizeof *draft.list);
    if (draft.list == NULL)
        return -1;
    draft.list->id = arena_dup(&b->settings->arena, raw->title);
    if (draft.list->id.p == NULL)
        return -1;
    list_variables(draft.list, &draft.values);
    int outside = draft_check_id(&draft);
    if (outside != 0)
        return outside < 0 ? -1 : 0;
    return build(&draft);
}

void list_builder_hints(struct list_builder *b)
{
    hint_groups_tell(&b->hints, b->diagnostics);
}

int list_builder_defaults(struct list_builder *b, const struct raw_section *raw)
{
    if (raw_section_copy(raw, &b->kept, &b->defaults) != 0)
        return -1;
    for (int key = LIST_FIRST_KEY; key <= LIST_LAST_KEY; key++) {
        if (!config_text_key((enum key)key))
            continue;
        struct config_texts *texts = &b->default_texts[key];
        if (config_texts_compile((enum key)key, &b->defaults.values[key], b->defaults.file,
                                 &b->kept, &b->settings->token_names, b->diagnostics, texts) != 0)
            return -1;
        texts->from_defaults = true;
    }
    return 0;
}
