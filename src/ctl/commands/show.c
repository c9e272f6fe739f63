/* mlmilterctl show: prints the values that count for a list, and the source of each. */
#include "config/store_kinds.h"
#include "ctl/commands/commands.h"
#include "ctl/load.h"
#include "ctl/output.h"
#include "ctl/show_list.h"
#include "text/json.h"
#include "text/visible.h"

#include <string.h>
#include <sysexits.h>

struct show {
    struct span id;
    bool json;
    struct strbuf out;
};

/* Shows the list, as list_observer.draft. A file of a delegate may come twice: as it is now, and
 * then as it was when it was right. */
static void show_draft(void *context, struct list_draft *draft)
{
    struct show *show = context;
    if (!span_eq_nocase(draft->list->id, show->id))
        return;
    strbuf_reset(&show->out);
    (show->json ? show_list_json : show_list)(draft, &show->out);
}

/* ---- without a list: the keys of the main file ---- */

struct show_main {
    bool as_json;
    struct strbuf out;
};

/* Returns the value with its path absolute; of a database its kind alone, as the rest may hold a
 * password. */
static struct span main_text(const struct settings *settings, enum key key, struct span written)
{
    switch (key) {
    case KEY_SOCKET:
        return span_cstr(settings->socket);
    case KEY_PID_FILE:
        return span_cstr(settings->pid_file);
    case KEY_METRICS:
        return span_cstr(settings->metrics);
    case KEY_TOKEN_KEY_FILE:
        return span_cstr(settings->recipient_keys_path);
    case KEY_STORE:
        return store_key_path(span_cstr(settings->store)) < strlen(settings->store)
                   ? span_cstr(settings->store)
                   : span_sub(written, 0, span_find(written, ':') + 1);
    default:
        return written;
    }
}

static void add_main_value(struct strbuf *out, bool as_json, const struct raw_section *raw,
                           const struct settings *settings, enum key key)
{
    struct raw_item room[BUILT_IN_VALUES];
    struct raw_value value = main_key_value(raw, key, room);
    bool is_many = schema[key].kind == KIND_TEXTS;
    if (schema[key].kind == KIND_BOOL) {
        strbuf_add_str(out, raw_bool(raw, NULL, key) ? "true" : "false");
        return;
    }
    if (is_many)
        strbuf_add_char(out, as_json ? '[' : '{');
    for (size_t i = 0; i < value.count || (i == 0 && !is_many); i++) {
        struct span text = i < value.count ? value.items[i].text : span_of("", 0);
        text = main_text(settings, key, text);
        strbuf_add_str(out, i > 0 ? ", " : "");
        if (as_json)
            json_add_string(out, text);
        else
            add_quoted(out, text);
    }
    if (is_many)
        strbuf_add_char(out, as_json ? ']' : '}');
}

static void add_main_key(const struct show_main *show, const struct raw_section *raw,
                         const struct settings *settings, enum key key, struct strbuf *out)
{
    bool is_set = raw->values[key].set;
    int line = is_set && raw->values[key].items != NULL ? raw->values[key].items[0].line : 0;
    strbuf_addf(out, show->as_json ? "{\"key\":\"%s\",\"value\":" : "%s = ", schema[key].name);
    add_main_value(out, show->as_json, raw, settings, key);
    if (show->as_json) {
        json_add_text(out, "source", span_cstr(is_set ? "main" : "built in"));
        json_add_text(out, "file", span_cstr(raw->file));
        json_add_number(out, "line", (uint64_t)line);
        strbuf_add_str(out, "}\n");
    } else if (is_set) {
        strbuf_add_str(out, "   # ");
        visible_add(out, span_cstr(raw->file));
        strbuf_addf(out, ":%d\n", line);
    } else {
        strbuf_add_str(out, "   # built in\n");
    }
}

/* Adds the keys of the main file, as list_observer.main. */
static void add_main(void *context, const struct raw_section *raw, const struct settings *settings)
{
    struct show_main *show = context;
    for (int key = 0; key < KEY_COUNT; key++) {
        const struct schema_key *row = &schema[key];
        bool is_section = row->kind == KIND_SECTION || row->kind == KIND_TITLED_SECTION;
        if (row->section == SECTION_MAIN && !is_section &&
            (raw->values[key].set || row->fallback != NULL))
            add_main_key(show, raw, settings, (enum key)key, &show->out);
    }
}

/* Shows the keys of a main file, even of a wrong one; then returns EX_CONFIG. */
static int show_main(const struct options *o)
{
    struct show_main show = {.as_json = o->json};
    const struct list_observer observer = {.context = &show, .main = add_main};
    struct settings *settings;
    bool is_right = load_main_file(o, &observer, &settings);
    settings_free(settings);
    return print_and_free(&show.out, is_right ? EX_OK : EX_CONFIG);
}

/* Reads the configuration twice: the list is found after loading, sources are known only during
 * loading. */
int run_show(const struct options *o)
{
    struct show show = {.json = o->json};
    const struct list_observer observer = {.context = &show, .draft = show_draft};
    if (o->argument_count == 0)
        return show_main(o);
    struct settings *settings = load_settings(o, KEYS_IF_READABLE, NULL);
    if (settings == NULL)
        return EX_CONFIG;
    const struct list *list = find_any_list(settings, o->arguments[0]);
    int status = EXIT_NO;
    if (list != NULL) {
        show.id = list->id;
        struct settings *again = load_settings(o, KEYS_IF_READABLE, &observer);
        status = again == NULL ? EX_CONFIG : EX_OK;
        settings_free(again);
    }
    settings_free(settings);
    return print_and_free(&show.out, status);
}
