/* show_list - see show_list.h */
#include "ctl/show_list.h"

#include "config/lists/new_list.h"
#include "config/read/files.h"
#include "config/read/parse.h"
#include "config/store_kinds.h"
#include "ctl/output.h"
#include "text/json.h"
#include "text/visible.h"

#include <stdlib.h>

/* Where the sources are, if what is before them is not longer. */
#define SOURCE_COLUMN 60

struct show {
    const struct settings *settings;
    const struct list *list; /* NULL: the keys of the main file */
    bool as_json;
    struct strbuf *out;
    struct arena arena;
    struct section top, defaults, own, manager;
    struct sources from;
    struct variable_values values;
};

/* ---- sections ---- */

/* Reads the sections of a file that matter. */
static void read_sections(struct show *show, const char *path, bool is_main, int line)
{
    const struct file_rules rules = {.bytes_max = SIZE_MAX};
    struct diagnostics ignored;
    struct file_text file;
    if (!read_file(path, &rules, &file))
        return;
    diagnostics_init(&ignored);
    struct parsed parsed =
        parse(path, is_main, file.text, file.length, &show->arena, &ignored, NULL);
    for (size_t i = 0; i < parsed.count; i++) {
        const struct section *section = &parsed.sections[i];
        if (section->kind == KEY_DEFAULTS)
            show->defaults = *section;
        else if (section->kind == KEY_LIST && section->line == line)
            show->own = *section;
    }
    if (is_main)
        show->top = parsed.top;
    diagnostics_free(&ignored);
    free(file.text);
}

/* ---- values ---- */

/* True if a text is of `defaults` or a manager, and posts of the list never have it. */
static bool is_left_out(const struct show *show, const struct value *value, size_t i, enum key key)
{
    return schema[key].field != FIELD_OTHER && value->source != FROM_SECTION &&
           list_leaves_out(show->list, &value->entries[i].compiled->of);
}

/* True if a value of `defaults` or a manager does not apply to this list (RULINGS 84). */
static bool has_no_effect(const struct show *show, const struct value *value, enum key key)
{
    const struct list *list = show->list;
    bool is_expanded = list->select == SELECT_RECIPIENT;
    if (value->source == FROM_SECTION)
        return false;
    if (key == KEY_SEQUENCE_FROM)
        return value_choice(&show->from, key) != SEQUENCE_FROM_STORE &&
               (is_expanded || list->address.n == 0);
    return key == KEY_KEEP && is_expanded;
}

/* Returns a text of the main file with its path absolute; of a database its kind alone, as the rest
 * may contain a password. */
static struct span main_text(const struct settings *s, enum key key, struct span text)
{
    switch (key) {
    case KEY_SOCKET:
        return span_cstr(s->socket);
    case KEY_PID_FILE:
        return span_cstr(s->pid_file);
    case KEY_METRICS:
        return span_cstr(s->metrics);
    case KEY_TOKEN_KEY_FILE:
        return span_cstr(s->recipient_keys_path);
    case KEY_STORE:
        return store_key_path(span_cstr(s->store)) < strlen(s->store)
                   ? span_cstr(s->store)
                   : span_sub(text, 0, span_find(text, ':') + 1);
    default:
        return text;
    }
}

/* Appends a value, in brackets if the key may have many. */
static void add_value(const struct show *show, const struct value *value, enum key key)
{
    bool is_many = schema[key].kind == KIND_TEXTS;
    const char *separator = "";
    if (schema[key].kind == KIND_BOOL) {
        strbuf_add_str(show->out, value_bool(&show->from, key) ? "true" : "false");
        return;
    }
    if (is_many)
        strbuf_add_char(show->out, show->as_json ? '[' : '{');
    for (size_t i = 0; i < value->count; i++) {
        struct span text = value->entries[i].text;
        if (show->list != NULL && is_left_out(show, value, i, key))
            continue;
        if (show->list == NULL)
            text = main_text(show->settings, key, text);
        strbuf_add_str(show->out, separator);
        separator = ", ";
        (show->as_json ? json_add_string : add_quoted)(show->out, text);
    }
    if (is_many)
        strbuf_add_char(show->out, show->as_json ? ']' : '}');
}

/* Appends each text that has variables of the list, with their values: in JSON, or in comments. */
static void add_results(const struct show *show, const struct value *value, enum key key)
{
    const char *separator = show->as_json ? "" : "      # ";
    for (size_t i = 0; schema[key].variables != 0 && i < value->count; i++) {
        const struct template *t = &value->entries[i].compiled->of.text;
        struct strbuf result = STRBUF_INIT;
        if (is_left_out(show, value, i, key) || (t->needs & show->values.set) == 0)
            continue;
        template_show(t, &show->values, &show->settings->token_names, &result);
        strbuf_add_str(show->out, separator);
        (show->as_json ? json_add_string : visible_add)(show->out, strbuf_span(&result));
        strbuf_add_str(show->out, show->as_json ? "" : "\n");
        separator = show->as_json ? "," : separator;
        strbuf_free(&result);
    }
}

/* ---- lines ---- */

/* Appends the source of a value as a comment; `begin` is where the line begins. */
static void add_source(const struct show *show, const struct value *value, size_t begin)
{
    const struct section *section =
        value->source < BUILT_IN ? show->from.sections[value->source] : NULL;
    do
        strbuf_add_char(show->out, ' ');
    while (show->list != NULL && show->out->len < begin + SOURCE_COLUMN);
    strbuf_add_str(show->out, show->list != NULL ? "# " : "  # ");
    if (value->source == FROM_MANAGER)
        strbuf_add_str(show->out, "manager ");
    if (value->source == FROM_MANAGER)
        add_quoted(show->out, value_of(&show->from, KEY_MANAGER).entries->text);
    else if (value->source == BUILT_IN)
        strbuf_add_str(show->out, "built in");
    if (value->source == FROM_DEFAULTS)
        strbuf_add_str(show->out, "defaults, ");
    if (value->source <= FROM_DEFAULTS) {
        visible_add(show->out, span_cstr(section->file));
        strbuf_addf(show->out, ":%d", value->entries->line);
    }
    strbuf_add_char(show->out, '\n');
}

static void add_text_line(const struct show *show, const struct value *value, enum key key)
{
    size_t begin = show->out->len;
    bool is_void = show->list != NULL && has_no_effect(show, value, key);
    strbuf_addf(show->out, "%s%s%s = ", show->list != NULL ? "  " : "",
                is_void ? "# without effect: " : "", schema[key].name);
    add_value(show, value, key);
    add_source(show, value, begin);
    if (show->list != NULL && !is_void)
        add_results(show, value, key);
}

static void add_json_line(const struct show *show, const struct value *value, enum key key)
{
    static const char *const sources[] = {"list", "defaults", "manager", "built in"};
    bool is_main = show->list == NULL;
    strbuf_add_char(show->out, '{');
    json_add_text(show->out, "key", span_cstr(schema[key].name));
    json_add_name(show->out, "value");
    add_value(show, value, key);
    if (!is_main) {
        json_add_name(show->out, "result");
        strbuf_add_char(show->out, '[');
        add_results(show, value, key);
        strbuf_add_char(show->out, ']');
    }
    json_add_text(
        show->out, "source",
        span_cstr(is_main && value->source == FROM_SECTION ? "main" : sources[value->source]));
    if (is_main || value->source <= FROM_DEFAULTS) {
        const struct section *section = show->from.sections[is_main ? 0 : value->source];
        json_add_text(show->out, "file", span_cstr(section->file));
        json_add_number(show->out, "line", (uint64_t)value->entries->line);
    }
    if (!is_main) {
        json_add_name(show->out, "effect");
        strbuf_add_str(show->out, has_no_effect(show, value, key) ? "false" : "true");
    }
    strbuf_add_str(show->out, "}\n");
}

static void add_keys(const struct show *show, enum key_section section)
{
    for (int key = 0; key < KEY_COUNT; key++) {
        struct value value = value_of(&show->from, (enum key)key);
        bool is_shown = schema[key].section == section && value.entries != NULL &&
                        (key != KEY_MANAGER || show->from.sections[FROM_MANAGER] != NULL);
        if (is_shown && show->as_json)
            add_json_line(show, &value, (enum key)key);
        else if (is_shown)
            add_text_line(show, &value, (enum key)key);
    }
}

/* ---- the whole ---- */

void show_main(const struct settings *settings, const char *main_path, bool as_json,
               struct strbuf *out)
{
    struct show show = {.settings = settings, .as_json = as_json, .out = out};
    arena_init(&show.arena, 0);
    show.top.file = main_path;
    read_sections(&show, main_path, true, 0);
    show.from.sections[FROM_SECTION] = &show.top;
    add_keys(&show, SECTION_MAIN);
    arena_free(&show.arena);
}

bool show_list(const struct settings *settings, const char *main_path, const struct list *list,
               bool as_json, struct strbuf *out)
{
    const struct list_place *place = &settings->places[list->number];
    struct show show = {.settings = settings, .list = list, .as_json = as_json, .out = out};
    const struct list_context given = {
        .arena = &show.arena, .token_names = &settings->token_names, .tokens = settings->tokens};
    struct diagnostics ignored;
    arena_init(&show.arena, 0);
    diagnostics_init(&ignored);
    read_sections(&show, main_path, true, strcmp(place->file, main_path) == 0 ? place->line : 0);
    if (show.own.file == NULL)
        read_sections(&show, place->file, false, place->line);
    bool is_there = span_eq(show.own.title, list->id);
    show.from = (struct sources){{&show.own, &show.defaults}};
    if (managers_find(&show.from) < MANAGER_COUNT)
        show.manager =
            section_compile(show.from.sections[FROM_MANAGER], &given, &show.arena, &ignored, NULL);
    show.own = section_compile(&show.own, &given, &show.arena, &ignored, NULL);
    show.defaults = section_compile(&show.defaults, &given, &show.arena, &ignored, NULL);
    if (show.manager.count > 0)
        show.from.sections[FROM_MANAGER] = &show.manager;
    list_variables(list, &show.values);
    list_set_archive(list, &show.arena, &show.values);
    if (is_there && !as_json) {
        size_t begin = out->len;
        strbuf_add_str(out, "list ");
        add_quoted(out, list->id);
        strbuf_add_str(out, " {");
        add_source(&show, &(struct value){.entries = &(struct entry){.line = place->line}}, begin);
    }
    if (is_there)
        add_keys(&show, SECTION_LIST);
    if (is_there && !as_json)
        strbuf_add_str(out, "}\n");
    diagnostics_free(&ignored);
    arena_free(&show.arena);
    return is_there;
}
