/*
 * mlmilterctl lists: prints the lists of the configuration, and the place of each.
 *
 * mlmilterctl show: prints the values that count for a list or in the main file, and the source of
 * each.  The text is a `list` section that `check` accepts, with the sources in comments; JSON has
 * one object for each value.
 *
 * mlmilterctl new-list-id: prints a List-Id that is unique (RFC 2919 5, LI-04).
 */
#include "config/lists/build.h"
#include "config/read/faults.h"
#include "config/read/files.h"
#include "config/store_kinds.h"
#include "ctl/tool.h"
#include "spec/list_id.h"
#include "text/json.h"
#include "text/visible.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Where the sources are, if the text before them is not longer. */
#define SOURCE_COLUMN 60

#define LINE_MAX_BYTES 1000 /* of the texts in a line */

/* Appends s in quotation marks, as the configuration has it. */
static void add_quoted(struct strbuf *out, struct span s)
{
    strbuf_add_char(out, '"');
    add_escaped(out, s, "\"\\$");
    strbuf_add_char(out, '"');
}

/* ---- lists ---- */

static void add_texts(struct strbuf *out, const char *name, const struct span *texts, size_t count)
{
    json_add_name(out, name);
    for (size_t i = 0; i < count; i++) {
        strbuf_add_char(out, i == 0 ? '[' : ',');
        json_add_string(out, texts[i]);
    }
    strbuf_add_str(out, count == 0 ? "[]" : "]");
}

static void add_json(struct strbuf *out, const struct list *list)
{
    strbuf_add_char(out, '{');
    json_add_text(out, "id", list->id);
    if (list->address.n > 0)
        json_add_text(out, "address", list->address);
    json_add_text(out, "select", span_cstr(schema[KEY_SELECT].choices[list->select]));
    json_add_text(out, "file", span_cstr(list->file));
    json_add_number(out, "line", (uint64_t)list->line);
    if (list->bounds != NULL)
        json_add_text(out, "delegate", span_cstr(list->bounds->owner));
    if (list->mailbox.n > 0)
        json_add_text(out, "mailbox", list->mailbox);
    add_texts(out, "aliases", list->aliases, list->alias_count);
    add_texts(out, "command_addresses", list_command_addresses(list), list->command_address_count);
    json_add_name(out, "asks_store");
    strbuf_add_str(out, list->asks_store ? "true}\n" : "false}\n");
}

static void add_line(struct strbuf *out, const struct list *list)
{
    visible_add(out, list->id);
    strbuf_add_char(out, '\t');
    visible_add(out, list->address.n > 0 ? list->address : span_cstr("-"));
    strbuf_addf(out, "\t%s\t", schema[KEY_SELECT].choices[list->select]);
    visible_add(out, span_cstr(list->file));
    strbuf_addf(out, ":%d\n", list->line);
}

int run_lists(const struct options *o)
{
    struct strbuf out = STRBUF_INIT;
    const struct settings *settings = load_settings(o, SETTINGS_ALL, KEYS_IF_READABLE);
    if (settings == NULL)
        return EX_CONFIG;
    for (size_t i = 0; i < settings->index.count; i++)
        (o->json ? add_json : add_line)(&out, settings->index.lists[i]);
    return print_and_free(&out, EX_OK);
}

/* ---- show ---- */

struct show {
    const struct settings *settings;
    const struct list *list; /* NULL: the keys of the main file */
    bool json;
    struct strbuf out;
    struct arena arena;
    struct diagnostics ignored; /* the load has reported those about an administrator's list */
    struct section sections[BUILT_IN]; /* FROM_SECTION: the list, or the keys of the main file */
    struct sources from;
    struct variable_values values; /* of the list */
};

/* Reads the sections of a file again: the settings do not have the texts as they are written. */
static void read_sections(struct show *show, const char *path, bool is_main, int line)
{
    const struct file_rules rules = {.bytes_max = SIZE_MAX};
    struct file_text file;
    if (!read_file(path, &rules, &file))
        return;
    struct parsed parsed =
        parse(path, span_of(file.text, file.length), is_main, &show->arena, &show->ignored);
    for (size_t i = 0; i < parsed.count; i++) {
        const struct section *section = &parsed.sections[i];
        if (section->kind == KEY_DEFAULTS)
            show->sections[FROM_DEFAULTS] = *section;
        else if (section->kind == KEY_LIST && section->line == line &&
                 span_eq_nocase(section->title, show->list->id))
            show->sections[FROM_SECTION] = *section;
    }
    if (show->list == NULL)
        show->sections[FROM_SECTION] = parsed.top;
    free(file.text);
}

/* True if posts of the list never have this text of `defaults` or a manager, or never keep the
 * field (RULINGS 26). */
static bool is_left_out(const struct show *show, const struct value *value, size_t i, enum key key)
{
    const struct entry *entry = &value->entries[i];
    if (show->list == NULL || value->source == FROM_SECTION)
        return false;
    return key == KEY_KEEP
               ? keep_hint(entry->text) != REMARK_NONE
               : schema[key].field != FIELD_OTHER && list_leaves_out(show->list, entry->compiled);
}

/* True if a value of `defaults` or a manager does not apply to the list (RULINGS 84). */
static bool has_no_effect(const struct show *show, const struct value *value, enum key key)
{
    bool is_expanded = show->list != NULL && show->list->select == SELECT_RECIPIENT;
    if (show->list == NULL || value->source == FROM_SECTION)
        return false;
    if (key == KEY_SEQUENCE_FROM)
        return value_choice(&show->from, key) != SEQUENCE_FROM_STORE &&
               (is_expanded || show->list->address.n == 0);
    return key == KEY_KEEP && is_expanded;
}

/* Returns a text of the main file with its path absolute; of a database its kind alone, as the rest
 * may contain a password. */
static struct span main_text(const struct settings *s, enum key key, struct span text)
{
    const char *path = key == KEY_SOCKET           ? s->socket
                       : key == KEY_PID_FILE       ? s->pid_file
                       : key == KEY_METRICS        ? s->metrics
                       : key == KEY_TOKEN_KEY_FILE ? s->recipient_keys_path
                       : key == KEY_STORE          ? s->store
                                                   : NULL;
    if (key == KEY_STORE && store_key_path(span_cstr(path)) == strlen(path))
        return span_sub(text, 0, span_find(text, ':') + 1);
    return path != NULL ? span_cstr(path) : text;
}

/* Appends a value, in brackets if the key may have many. In text, each of many long ones is on a
 * line: `check` refuses a line that is too long. */
static void add_value(struct show *show, const struct value *value, enum key key)
{
    bool is_many = schema[key].kind == KIND_TEXTS;
    const char *separator = !is_many ? "" : show->json ? "[" : "{", *next = ", ";
    struct strbuf *out = &show->out;
    size_t total = 0;
    if (schema[key].kind == KIND_BOOL) {
        strbuf_add_str(out, value_bool(&show->from, key) ? "true" : "false");
        return;
    }
    for (size_t i = 0; i < value->count; i++)
        total += value->entries[i].text.n;
    if (!show->json && total > LINE_MAX_BYTES && !has_no_effect(show, value, key))
        next = ",\n    ";
    strbuf_add_str(out, separator);
    separator = "";
    for (size_t i = 0; i < value->count; i++) {
        struct span text = value->entries[i].text;
        if (is_left_out(show, value, i, key))
            continue;
        strbuf_add_str(out, separator);
        separator = next;
        (show->json ? json_add_string : add_quoted)(
            out, show->list == NULL ? main_text(show->settings, key, text) : text);
    }
    if (is_many)
        strbuf_add_char(out, show->json ? ']' : '}');
}

/* Appends each text that has variables of the list, with their values: in JSON, or in comments. */
static void add_results(struct show *show, const struct value *value, enum key key)
{
    const char *separator = show->json ? "" : "      # ";
    for (size_t i = 0; schema[key].variables != 0 && i < value->count; i++) {
        const struct template *t = &value->entries[i].compiled->text;
        struct strbuf result = STRBUF_INIT;
        if (is_left_out(show, value, i, key) || (t->needs & show->values.set) == 0)
            continue;
        template_show(t, &show->values, &show->settings->token_names, &result);
        strbuf_add_str(&show->out, separator);
        (show->json ? json_add_string : visible_add)(&show->out, strbuf_span(&result));
        strbuf_add_str(&show->out, show->json ? "" : "\n");
        separator = show->json ? "," : separator;
        strbuf_free(&result);
    }
}

/* Appends a source as a comment. */
static void add_source(struct show *show, enum source source, int line)
{
    static const char *const names[] = {"", "defaults, ", "manager ", "built in"};
    const struct section *section = source <= FROM_DEFAULTS ? show->from.sections[source] : NULL;
    struct strbuf *out = &show->out;
    size_t before = span_find_last(strbuf_span(out), '\n');
    size_t begin = before < out->len ? before + 1 : 0;
    do
        strbuf_add_char(out, ' ');
    while (show->list != NULL && out->len < begin + SOURCE_COLUMN);
    strbuf_addf(out, "%s# %s", show->list != NULL ? "" : "  ", names[source]);
    if (source == FROM_MANAGER)
        add_quoted(out, value_of(&show->from, KEY_MANAGER).entries->text);
    if (section != NULL) {
        visible_add(out, span_cstr(section->file));
        strbuf_addf(out, ":%d", line);
    }
    strbuf_add_char(out, '\n');
}

static void add_text_line(struct show *show, const struct value *value, enum key key)
{
    bool is_void = has_no_effect(show, value, key); /* in a section it may be an error */
    strbuf_addf(&show->out, "%s%s%s = ", show->list != NULL ? "  " : "",
                is_void ? "# without effect: " : "", schema[key].name);
    add_value(show, value, key);
    add_source(show, value->source, value->entries->line);
    if (show->list != NULL && !is_void)
        add_results(show, value, key);
}

static void add_json_line(struct show *show, const struct value *value, enum key key)
{
    static const char *const sources[] = {"list", "defaults", "manager", "built in"};
    bool is_main = show->list == NULL;
    struct strbuf *out = &show->out;
    strbuf_add_char(out, '{');
    json_add_text(out, "key", span_cstr(schema[key].name));
    json_add_name(out, "value");
    add_value(show, value, key);
    if (!is_main) {
        json_add_name(out, "result");
        strbuf_add_char(out, '[');
        add_results(show, value, key);
        strbuf_add_char(out, ']');
    }
    const char *source = sources[value->source];
    json_add_text(out, "source",
                  span_cstr(is_main && value->source == FROM_SECTION ? "main" : source));
    if (is_main || value->source <= FROM_DEFAULTS) {
        const struct section *section = show->from.sections[is_main ? 0 : value->source];
        json_add_text(out, "file", span_cstr(section->file));
        json_add_number(out, "line", (uint64_t)value->entries->line);
    }
    if (!is_main) {
        json_add_name(out, "effect");
        strbuf_add_str(out, has_no_effect(show, value, key) ? "false" : "true");
    }
    strbuf_add_str(out, "}\n");
}

static void add_keys(struct show *show)
{
    enum key_section section = show->list != NULL ? SECTION_LIST : SECTION_MAIN;
    for (int key = 0; key < KEY_COUNT; key++) {
        struct value value = value_of(&show->from, (enum key)key);
        if (schema[key].section == section && value.entries != NULL &&
            (key != KEY_MANAGER || show->from.sections[FROM_MANAGER] != NULL))
            (show->json ? add_json_line : add_text_line)(show, &value, (enum key)key);
    }
}

/* Shows a list, whose files are read again. Returns EXIT_NO if it is no longer in its file. */
static int show_list(struct show *show, const char *main_path)
{
    const struct list *list = show->list;
    bool is_in_main = strcmp(list->file, main_path) == 0;
    read_sections(show, main_path, true, is_in_main ? list->line : 0);
    if (!is_in_main)
        read_sections(show, list->file, false, list->line);
    if (!span_eq(show->sections[FROM_SECTION].title, list->id))
        return EXIT_NO;
    if (list->manager != MANAGER_COUNT)
        show->sections[FROM_MANAGER] = managers[list->manager];
    for (size_t i = 0; i < BUILT_IN; i++) {
        struct section *section = &show->sections[i];
        *section = section_compile(section, &show->settings->token_names, &show->arena,
                                   &show->arena, &show->ignored);
        if (i != FROM_MANAGER || list->manager != MANAGER_COUNT)
            show->from.sections[i] = section;
    }
    list_variables(list, &show->values);
    list_set_archive(list, &show->arena, &show->values);
    if (!show->json) {
        strbuf_add_str(&show->out, "list ");
        add_quoted(&show->out, list->id);
        strbuf_add_str(&show->out, " {");
        add_source(show, FROM_SECTION, list->line);
    }
    add_keys(show);
    strbuf_add_str(&show->out, show->json ? "" : "}\n");
    return EX_OK;
}

int run_show(const struct options *o)
{
    bool is_main = o->argument_count == 0, is_right;
    const struct settings *settings = is_main ? load_main_file(o, false, &is_right)
                                              : load_settings(o, SETTINGS_ALL, KEYS_IF_READABLE);
    static struct show show;
    show.settings = settings;
    show.json = o->json;
    int status = EX_CONFIG;
    arena_init(&show.arena, 0);
    diagnostics_init(&show.ignored);
    if (is_main && settings->socket != NULL) { /* the file could be read, even if it is wrong */
        status = is_right ? EX_OK : EX_CONFIG;
        read_sections(&show, o->config_path, true, 0);
        show.from.sections[FROM_SECTION] = &show.sections[FROM_SECTION];
        add_keys(&show);
    } else if (!is_main && settings != NULL) {
        show.list = find_list(settings, o->arguments[0]);
        status = show.list != NULL ? show_list(&show, o->config_path) : EXIT_NO;
    }
    return print_and_free(&show.out, status);
}

/* ---- new-list-id ---- */

int run_new_list_id(const struct options *o)
{
    unsigned char random[LIST_ID_RANDOM_OCTETS];
    struct span domain = span_cstr(o->arguments[1]); /* empty if there is none */
    struct strbuf id = STRBUF_INIT;
    time_t now = time(NULL);
    struct tm utc;
    if (getentropy(random, sizeof random) != 0 || gmtime_r(&now, &utc) == NULL) {
        report_error("no random bytes, or no date: %s", strerror(errno));
        return EX_OSERR;
    }
    /* The name space of lists without a domain, in which ids must be random. */
    if (span_eq_nocase(domain, span_cstr("localhost")))
        domain.n = 0;
    list_id_make(&id, span_cstr(o->arguments[0]), domain, random, utc.tm_mon + 1,
                 utc.tm_year + 1900);
    const char *fault = list_id_fault(strbuf_span(&id));
    if (o->argument_count == 2 && o->arguments[1][0] == '\0') /* an empty variable of a script */
        fault = "its DOMAIN is empty";
    if (fault != NULL) {
        report_error("list id \"%s\": %s", strbuf_str(&id), fault);
        strbuf_free(&id);
        return EXIT_NO;
    }
    strbuf_add_char(&id, '\n');
    return print_and_free(&id, EX_OK);
}
