/* parse - see section.h. Gives libConfuse the keys of a text, and keeps what it finds. */
#include "config/read/section.h"

#include "config/read/faults.h"
#include "config/read/scan.h"
#include "text/memory.h"
#include "text/number.h"

#include <confuse.h>
#include <stdlib.h>

/* The entries of a section that is being read. */
struct entries {
    struct entry *items; /* owned */
    size_t count, capacity;
};

struct parser {
    const struct source_text *texts;
    int *lines_before; /* for each text, the number of lines before it; in the arena */
    bool is_main;
    struct arena *arena;
    struct diagnostics *diagnostics;
    bool has[KEY_COUNT]; /* keys whose names occur in the text */
    int fault_line;      /* of the error that has been reported; 0: none */
    struct scan scan;
    size_t next_statement; /* after the one that the last section began with */
    struct entries top, inner;
    struct section *sections; /* in the arena: one for each statement of the scan */
    size_t count;
};

/* libConfuse gives its callbacks no pointer of the caller. */
static struct parser *parser;

static void report(int line, struct span key, struct span value, enum remark remark,
                   const char *detail)
{
    struct shown shown;
    const char *name = key.n > 0 ? shown_text(key, &shown) : NULL;
    if (parser->fault_line == 0)
        say(parser->diagnostics, SEVERITY_ERROR, place_of(parser->texts->file, line, name), value,
            remark, WITH(detail));
    parser->fault_line = line;
}

/* Reports a name that is no key of the section, or not in this file. */
static void report_name(enum key_section section, int line, struct span name)
{
    enum key main_key = schema_find(SECTION_MAIN, name);
    bool in_list_file = section == SECTION_MAIN && !parser->is_main;
    const char *near = schema_nearest(section, name);
    enum remark fault = in_list_file ? ERROR_LISTS_ONLY : ERROR_UNKNOWN_KEY;
    if (section != SECTION_MAIN && schema_is_section(main_key))
        fault = ERROR_SECTION_INSIDE;
    else if (section != SECTION_MAIN && main_key != KEY_COUNT)
        fault = ERROR_KEY_OF_MAIN_FILE;
    else if (section == SECTION_MAIN && schema_find(SECTION_LIST, name) != KEY_COUNT)
        fault = ERROR_KEY_OF_LIST;
    else if (near != NULL && (!in_list_file || near == schema[KEY_LIST].name))
        fault = ERROR_MISSPELT_KEY;
    report(line, name, NO_TEXT, fault, near);
}

/* Returns where the keys of what is being read are. */
static enum key_section section_of(const cfg_t *cfg)
{
    return schema_keys_in(schema_find(SECTION_MAIN, span_cstr(cfg->name)));
}

static void report_open(void)
{
    const struct statement *open = &parser->scan.statements[parser->scan.open - 1];
    report(open->line, open->name, NO_TEXT, ERROR_OPEN_BRACE, NULL);
}

static void on_error(cfg_t *cfg, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));

/* Reports an error of libConfuse (3.3). Two are known by their formats, which are not translated,
 * since the programs set no locale. Other errors keep libConfuse's words. */
static void on_error(cfg_t *cfg, const char *format, va_list ap)
{
    char text[200];
    vsnprintf(text, sizeof text, format, ap);
    struct span name = span_sub(span_cstr(text), span_find(span_cstr(text), '\'') + 1, sizeof text);
    name.n -= name.n > 0 ? 1 : 0; /* what is between quotes */
    if (parser->scan.open > 0 && strcmp(format, "premature end of file") == 0)
        report_open();
    else if (strcmp(format, "no such option '%s'") == 0)
        report_name(section_of(cfg), cfg->line, name);
    else
        report(cfg->line, NO_TEXT, NO_TEXT, ERROR_SYNTAX, text);
}

/* Keeps a value, and reports what is wrong with it. Callbacks return -1 to stop libConfuse. */
static int on_value(cfg_t *cfg, cfg_opt_t *option, const char *text, void *result)
{
    enum key_section section = section_of(cfg);
    struct entries *entries = section == SECTION_MAIN ? &parser->top : &parser->inner;
    struct span name = span_cstr(option->name);
    struct shown line;
    struct entry entry = {.line = cfg->line, .key = schema_find(section, name)};
    for (size_t i = 0; option->nvalues == 1 && i < entries->count; i++) /* first after "=" */
        if (entries->items[i].key == entry.key)
            report(cfg->line, name, NO_TEXT, ERROR_KEY_TWICE,
                   shown_number((size_t)entries->items[i].line, &line));
    if (*text == NO_VALUES && schema[entry.key].kind != KIND_TEXTS)
        report(cfg->line, name, NO_TEXT, ERROR_TEXTS_FOR_ONE, NULL);
    if (parser->fault_line != 0)
        return -1;
    if (*text != NO_VALUES) {
        entry.text = arena_dup(parser->arena, span_cstr(text));
        entry_check(parser->texts->file, &entry, parser->diagnostics);
    }
    entries->items = array_grow(entries->items, entries->count, &entries->capacity, sizeof entry);
    entries->items[entries->count++] = entry;
    *(const char **)result = ""; /* for libConfuse to keep */
    return 0;
}

/* Moves the entries of a section to the arena. */
static void end_section(struct entries *entries, struct section *section, unsigned text)
{
    struct entry *items = arena_calloc(parser->arena, entries->count, sizeof *items);
    for (size_t i = 0; i < entries->count; i++) {
        items[i] = entries->items[i];
        items[i].line -= parser->lines_before[text];
    }
    section->file = parser->texts[text].file;
    section->line -= parser->lines_before[text];
    section->entries = items;
    section->count = entries->count;
    entries->count = 0;
}

/* Takes a section at its "}". libConfuse compares the title of a new section with all before it,
 * so that each is removed here (100,000 in one file took 33 s, and take 0.1 s). */
static int on_section(cfg_t *cfg, cfg_opt_t *option)
{
    const struct scan *scan = &parser->scan;
    const char *title = cfg_opt_getnsec(option, 0)->title;
    struct span name = span_cstr(option->name);
    size_t i = parser->next_statement;
    (void)cfg;
    while (i < scan->count && !span_eq(scan->statements[i].name, name))
        i++;
    parser->next_statement = i + 1;
    if (i >= scan->count) /* the scan saw no such section */
        return -1;
    struct section *section = &parser->sections[parser->count++];
    section->kind = schema_find(SECTION_MAIN, name);
    section->line = scan->statements[i].line;
    if (title != NULL)
        section->title = arena_dup(parser->arena, span_cstr(title));
    end_section(&parser->inner, section, scan->statements[i].text);
    cfg_opt_rmnsec(option, 0);
    return 0;
}

#define OPTIONS_MAX (KEY_COUNT + 1)

/* Fills an array with the keys of a section that may be in the text. libConfuse copies each option
 * for every section, so a key that is not used would cost as much as one that is. All are texts:
 * values are checked where all errors can be collected. Returns the end of the array. */
static cfg_opt_t *fill_options(cfg_opt_t options[OPTIONS_MAX], enum key_section section)
{
    const cfg_opt_t end = CFG_END();
    for (enum key key = 0; key < KEY_COUNT; key++) {
        const cfg_opt_t one = CFG_STR_CB(schema[key].name, NULL, CFGF_NODEFAULT, on_value);
        const cfg_opt_t list = CFG_STR_LIST_CB(schema[key].name, NULL, CFGF_NODEFAULT, on_value);
        if (parser->has[key] && schema[key].section == section && !schema_is_section(key))
            *options++ = schema[key].kind == KIND_TEXTS ? list : one;
    }
    *options = end;
    return options;
}

static cfg_t *make_cfg(void)
{
    static const enum key keys[] = {KEY_LIST, KEY_DEFAULTS, KEY_TOKEN, KEY_DELEGATE};
    const cfg_opt_t end = CFG_END();
    cfg_opt_t inner[sizeof keys / sizeof keys[0]][OPTIONS_MAX], outer[OPTIONS_MAX];
    cfg_opt_t *next = parser->is_main ? fill_options(outer, SECTION_MAIN) : outer;
    for (size_t i = 0; i < (parser->is_main ? sizeof keys / sizeof keys[0] : 1); i++) {
        const struct schema_key *row = &schema[keys[i]];
        int title = row->kind == KIND_TITLED_SECTION ? CFGF_TITLE : 0;
        fill_options(inner[i], schema_keys_in(keys[i]));
        /* CFGF_DEFINIT: nothing has a default, so libConfuse need not look for one in every
         * section, which takes it a comparison for each pair of options. */
        cfg_opt_t section = CFG_SEC(row->name, inner[i], CFGF_MULTI | CFGF_DEFINIT | title);
        section.validcb = on_section;
        *next++ = section;
    }
    *next = end;
    cfg_t *cfg = cfg_init(outer, CFGF_NONE);
    if (cfg == NULL)
        memory_exhausted();
    cfg_set_error_function(cfg, on_error);
    return cfg;
}

/* Runs libConfuse. cfg_free also puts its lexer back to the start, if it stopped in the middle. */
static void run(const char *text)
{
    for (enum key key = 0; key < KEY_COUNT; key++)
        parser->has[key] = (parser->is_main || schema[key].section == SECTION_LIST) &&
                           strstr(text, schema[key].name) != NULL;
    cfg_t *cfg = make_cfg();
    bool is_right = cfg_parse_buf(cfg, text) == CFG_SUCCESS;
    if (is_right && parser->scan.open > 0)
        report_open();
    else if (!is_right && parser->fault_line == 0)
        report(1, NO_TEXT, NO_TEXT, ERROR_NO_FORM, NULL);
    cfg_free(cfg);
}

/* True if libConfuse stopped in a list, and only lists come after it. */
static bool lacks_only_lists(void)
{
    const struct scan *scan = &parser->scan;
    bool is_so = scan->fault == REMARK_NONE;
    for (size_t i = parser->next_statement; is_so && i < scan->count; i++)
        is_so = span_eq(scan->statements[i].name, span_cstr(schema[KEY_LIST].name));
    return is_so;
}

struct parsed parse(const struct source_text *texts, size_t count, bool is_main,
                    struct arena *arena, struct diagnostics *diagnostics)
{
    struct parser p = {
        .texts = texts, .is_main = is_main, .arena = arena, .diagnostics = diagnostics};
    struct strbuf joined = STRBUF_INIT;
    size_t begin = 0;
    parser = &p;
    for (size_t i = 0; i < count; i++) {
        strbuf_add_str(&joined, i > 0 ? "\n" : "");
        strbuf_add_span(&joined, texts[i].text);
    }
    p.lines_before = arena_calloc(arena, count, sizeof *p.lines_before);
    for (size_t i = 0; i < count; i++) {
        p.lines_before[i] = p.scan.lines;
        scan_text(&p.scan, joined.data + begin, texts[i].text.n);
        begin += texts[i].text.n + 1;
    }
    p.sections = arena_calloc(arena, p.scan.count, sizeof *p.sections);
    if (p.scan.fault != REMARK_NONE)
        report(p.scan.fault_line, p.scan.fault_key, p.scan.fault_value, p.scan.fault,
               NUMBER_TEXT(LINE_BYTES_MAX));
    else if (count > 1 && p.scan.ends_early)
        report(1, NO_TEXT, NO_TEXT, ERROR_ENDS_EARLY, NULL);
    else
        run(strbuf_str(&joined));
    struct parsed out = {.top = {.kind = KEY_COUNT, .line = 1},
                         .sections = p.sections,
                         .count = p.count,
                         .lacks_only_lists = p.fault_line == 0 || lacks_only_lists()};
    end_section(&p.top, &out.top, 0);
    strbuf_free(&joined);
    free(p.top.items);
    free(p.inner.items);
    free(p.scan.statements);
    return out;
}

bool parse_is_main(char *text, size_t length)
{
    struct scan scan = {.count = 0};
    bool is_main = false;
    text[length] = '\0';
    scan_text(&scan, text, length);
    for (size_t i = 0; i < scan.count; i++) {
        enum key key = schema_find(SECTION_MAIN, scan.statements[i].name);
        is_main = is_main || (key != KEY_COUNT && key != KEY_LIST);
    }
    free(scan.statements);
    return is_main;
}
