/* From a draft to text: see show_list.h. */
#include "ctl/show_list.h"

#include "config/lists/fields.h"
#include "ctl/output.h"
#include "text/json.h"
#include "text/visible.h"

/* Where the sources stand, if what is before them is not longer. */
#define SOURCE_COLUMN 60

/* ---- what there is to show ---- */

/* One key of the list. */
struct shown_key {
    enum key key;
    enum value_source source;
    const struct raw_value *value;    /* NULL: the built-in one */
    const struct config_texts *texts; /* NULL: a key without variables */
};

/* Returns false if the list has no value for the key. */
static bool find_value(const struct list_draft *draft, enum key key, struct shown_key *shown)
{
    if (schema[key].section != SECTION_LIST || (key == KEY_MANAGER && draft->preset == NULL))
        return false;
    *shown = (struct shown_key){key, draft_source(draft, key), draft_value(draft, key), NULL};
    if (config_text_key(key))
        shown->texts = draft_texts(draft, key);
    return shown->source == BUILT_IN ? schema[key].fallback != NULL : shown->value != NULL;
}

/* True if the value is from `defaults` or a preset and does not apply to this list (RULINGS 84). */
static bool is_without_effect(const struct list_draft *draft, const struct shown_key *shown)
{
    const struct list *list = draft->list;
    if (shown->source == FROM_LIST)
        return false;
    switch (shown->key) {
    case KEY_KEEP:
        return list->select == SELECT_RECIPIENT;
    case KEY_SEQUENCE_FROM:
        return draft_choice(draft, KEY_SEQUENCE_FROM) != SEQUENCE_FROM_STORE &&
               (list->select == SELECT_RECIPIENT || list->address.n == 0);
    default:
        return false;
    }
}

/* As written; in the schema's words where it is one of them. */
static struct span item_text(const struct list_draft *draft, const struct shown_key *shown,
                             size_t i)
{
    switch (schema[shown->key].kind) {
    case KIND_BOOL:
        return span_cstr(draft_bool(draft, shown->key) ? "true" : "false");
    case KIND_CHOICE:
        return shown->source == BUILT_IN ? span_cstr(schema[shown->key].fallback)
                                         : shown->value->items[i].text;
    default:
        return shown->value->items[i].text;
    }
}

static size_t item_count(const struct shown_key *shown)
{
    return shown->source == BUILT_IN ? 1 : shown->value->count;
}

static bool is_left_out(const struct list_draft *draft, const struct shown_key *shown, size_t i)
{
    return shown->texts != NULL && config_item_key(shown->key) && i < shown->texts->count &&
           draft_is_left_out(draft, &shown->texts->items[i]);
}

/* ---- a text with the list's values in it ---- */

/* Appends a text with the list's values filled in. Returns false if it has none of their variables,
 * or no effect. */
static bool add_result(struct strbuf *out, struct list_draft *draft, const struct shown_key *shown,
                       size_t i)
{
    if (shown->texts == NULL || i >= shown->texts->count || is_left_out(draft, shown, i))
        return false;
    const struct template *t = &shown->texts->items[i].of->text;
    if ((t->needs & draft->values.set) == 0)
        return false;
    template_show(t, &draft->values, draft->builder->given.token_names, out);
    return true;
}

/* Appends all results with `add`, the first after `first`, each other after `before`. */
static void add_results(struct strbuf *out, struct list_draft *draft, const struct shown_key *shown,
                        const char *first, const char *before,
                        void (*add)(struct strbuf *, struct span))
{
    struct strbuf result = STRBUF_INIT;
    for (size_t i = 0; i < item_count(shown); i++) {
        strbuf_reset(&result);
        if (!add_result(&result, draft, shown, i))
            continue;
        strbuf_add_str(out, first);
        add(out, strbuf_span(&result));
        first = before;
    }
    strbuf_free(&result);
}

/* The values, in these brackets where the key may have many; texts are added so. */
static void add_value(struct strbuf *out, const struct list_draft *draft,
                      const struct shown_key *shown, const char brackets[2],
                      void (*add)(struct strbuf *, struct span))
{
    bool is_many = schema[shown->key].kind == KIND_TEXTS;
    const char *separator = "";
    if (is_many)
        strbuf_add_char(out, brackets[0]);
    for (size_t i = 0; i < item_count(shown); i++) {
        if (is_left_out(draft, shown, i))
            continue;
        strbuf_add_str(out, separator);
        separator = ", ";
        if (schema[shown->key].kind == KIND_BOOL)
            strbuf_add_span(out, item_text(draft, shown, i));
        else
            add(out, item_text(draft, shown, i));
    }
    if (is_many)
        strbuf_add_char(out, brackets[1]);
}

/* Where the value is written; "{}" too has a line. */
static struct place place_of_value(const struct list_draft *draft, const struct shown_key *shown)
{
    struct place place = draft_key_place(draft, shown->key);
    if (shown->value != NULL && shown->value->items != NULL)
        place.line = shown->value->items[0].line;
    return place;
}

/* ---- as a section ---- */

static void pad(struct strbuf *out, size_t begin)
{
    do
        strbuf_add_char(out, ' ');
    while (out->len < begin + SOURCE_COLUMN);
}

/* From `begin`, where the line began. */
static void add_source(struct strbuf *out, size_t begin, const struct list_draft *draft,
                       const struct shown_key *shown)
{
    struct place place = place_of_value(draft, shown);
    struct shown manager;
    pad(out, begin);
    strbuf_add_str(out, "# ");
    switch (shown->source) {
    case FROM_MANAGER:
        strbuf_addf(out, "manager \"%s\"\n",
                    shown_text(draft_value(draft, KEY_MANAGER)->items[0].text, &manager));
        return;
    case BUILT_IN:
        strbuf_add_str(out, "built in\n");
        return;
    case FROM_DEFAULTS:
        strbuf_add_str(out, "defaults, ");
        break;
    case FROM_LIST:
        break;
    }
    visible_add(out, span_cstr(place.file));
    strbuf_addf(out, ":%d\n", place.line);
}

static void add_comment(struct strbuf *out, struct span text)
{
    visible_add(out, text);
    strbuf_add_char(out, '\n');
}

static void add_key(struct strbuf *out, struct list_draft *draft, const struct shown_key *shown)
{
    size_t begin = out->len;
    bool without_effect = is_without_effect(draft, shown);
    strbuf_addf(out,
                without_effect ? "  # without effect: %s = " : "  %s = ", schema[shown->key].name);
    add_value(out, draft, shown, "{}", add_quoted);
    add_source(out, begin, draft, shown);
    if (!without_effect)
        add_results(out, draft, shown, "      # ", "      # ", add_comment);
}

void show_list(struct list_draft *draft, struct strbuf *out)
{
    size_t begin = out->len;
    struct shown_key shown;
    strbuf_add_str(out, "list ");
    add_quoted(out, draft->list->id);
    strbuf_add_str(out, " {");
    pad(out, begin);
    strbuf_add_str(out, "# ");
    visible_add(out, span_cstr(draft->raw->file));
    strbuf_addf(out, ":%d\n", draft->raw->line);
    for (int key = 0; key < KEY_COUNT; key++)
        if (find_value(draft, (enum key)key, &shown))
            add_key(out, draft, &shown);
    strbuf_add_str(out, "}\n");
}

/* ---- as JSON ---- */

void show_list_json(struct list_draft *draft, struct strbuf *out)
{
    static const char *const sources[] = {"list", "defaults", "manager", "built in"};
    struct shown_key shown;
    for (int key = 0; key < KEY_COUNT; key++) {
        struct place place;
        if (!find_value(draft, (enum key)key, &shown))
            continue;
        place = place_of_value(draft, &shown);
        strbuf_add_char(out, '{');
        json_add_text(out, "key", span_cstr(schema[key].name));
        json_add_name(out, "value");
        add_value(out, draft, &shown, "[]", json_add_string);
        json_add_name(out, "result");
        strbuf_add_char(out, '[');
        add_results(out, draft, &shown, "", ",", json_add_string);
        strbuf_add_char(out, ']');
        json_add_text(out, "source", span_cstr(sources[shown.source]));
        if (shown.source == FROM_LIST || shown.source == FROM_DEFAULTS) {
            json_add_text(out, "file", span_cstr(place.file));
            json_add_number(out, "line", (uint64_t)place.line);
        }
        json_add_name(out, "effect");
        strbuf_add_str(out, is_without_effect(draft, &shown) ? "false}\n" : "true}\n");
    }
}
