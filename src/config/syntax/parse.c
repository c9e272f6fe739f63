/* parse - gives libConfuse the keys that a text may have, and keeps what it finds. */
#include "config/syntax/parse.h"

#include "config/report/say.h"
#include "config/syntax/scan.h"
#include "text/ascii.h"
#include "text/memory.h"

#include <confuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The values of a section that is being read. */
struct values {
    struct raw_item *items; /* owned */
    size_t count, capacity;
    int lines[KEY_COUNT]; /* of the first value of each key; 0: it has none */
};

struct parser {
    const char *file;
    bool is_main;
    struct arena *arena;
    struct diagnostics *diagnostics;
    int fault_line; /* of the error that has been reported; 0: none */
    struct scan scan;
    size_t next_statement; /* after the one that the last section began with */
    struct values top, inner;
    int defaults_line;
    struct section *sections; /* owned */
    size_t count, capacity;
    const char *last_key; /* the key of the last value, and its line */
    int last_line;
};

/* libConfuse gives its callbacks no pointer of the caller. */
static struct parser *parser;

/* ---- messages ---- */

static void report(int line, struct span key, const char *fault)
{
    struct shown shown;
    struct place place = place_of(parser->file, line, key.n > 0 ? shown_text(key, &shown) : NULL);
    if (parser->fault_line == 0)
        say(parser->diagnostics, SEVERITY_ERROR, place, NO_VALUE, "%s", fault);
    parser->fault_line = line;
}

#define NO_EQUALS  "is not followed by \"=\" (expected KEY = VALUE)"
#define ONLY_LISTS "only list sections may stand in a list file"

/* Reports a name that is no key of the section. */
static void report_name(enum key_section section, int line, struct span name)
{
    static const char *const owners[] = {[SECTION_MAIN] = "the main file",
                                         [SECTION_LIST] = "a list",
                                         [SECTION_TOKEN] = "a token",
                                         [SECTION_DELEGATE] = "a delegate"};
    enum key main_key = schema_find(SECTION_MAIN, name);
    bool is_list_key = schema_find(SECTION_LIST, name) != KEY_COUNT;
    const char *near = schema_nearest(section, name);
    char fault[160];
    if (schema_find(section, name) != KEY_COUNT && (section != SECTION_MAIN || parser->is_main))
        snprintf(fault, sizeof fault, NO_EQUALS); /* else libConfuse would know it */
    else if (section != SECTION_MAIN && schema_is_section(main_key))
        snprintf(fault, sizeof fault,
                 "a section begins inside of another one (expected the \"}\" of the section above "
                 "first)");
    else if (section != SECTION_MAIN && main_key != KEY_COUNT)
        snprintf(fault, sizeof fault,
                 "is a key of the main file (expected outside of the sections)");
    else if (main_key != KEY_COUNT)
        snprintf(fault, sizeof fault,
                 ONLY_LISTS " (expected this in the main file, mlmilter.conf)");
    else if (section == SECTION_MAIN && is_list_key)
        snprintf(fault, sizeof fault,
                 "is a key of a list (expected inside of a section \"list\"%s)",
                 parser->is_main ? " or \"defaults\"" : "");
    else if (near != NULL && (parser->is_main || section != SECTION_MAIN ||
                              strcmp(near, schema[KEY_LIST].name) == 0))
        snprintf(fault, sizeof fault, "is not known (did you mean \"%s\"?)", near);
    else if (section == SECTION_MAIN && !parser->is_main)
        snprintf(fault, sizeof fault, ONLY_LISTS);
    else
        snprintf(fault, sizeof fault,
                 "is not known (expected a key of %s; a text of several words must be in quotes)",
                 owners[section]);
    report(line, name, fault);
}

/* Returns the part of the table that has the keys of what is being read. */
static enum key_section section_of(const cfg_t *cfg)
{
    return schema_keys_in(schema_find(SECTION_MAIN, span_cstr(cfg->name)));
}

/* Returns the option whose first value is expected, or NULL. */
static const cfg_opt_t *waiting_option(const cfg_t *cfg)
{
    for (const cfg_opt_t *option = cfg->opts; option->name != NULL; option++)
        if ((option->flags & CFGF_RESET) != 0) /* until it has a value */
            return option;
    return NULL;
}

#define IS_LIST "has a list of values (expected one value, without braces)"

static void report_token(const cfg_t *cfg, const char *token)
{
    const cfg_opt_t *waiting = waiting_option(cfg);
    bool is_text = strlen(token) != 1 || strchr("{}=,", *token) == NULL;
    bool has_key = parser->last_key != NULL && (is_text || parser->last_line == cfg->line);
    struct span key = span_cstr(has_key ? parser->last_key : "");
    char fault[200];
    struct shown shown;
    if (waiting != NULL) {
        bool is_list = *token == '{' && (waiting->flags & CFGF_LIST) == 0;
        report(cfg->line, span_cstr(waiting->name),
               is_list ? IS_LIST : "has no value (expected KEY = VALUE)");
        return;
    }
    snprintf(fault, sizeof fault,
             is_text
                 ? "has \"%s\" after a value (expected \",\" before another value, or \"}\")"
                 : "\"%s\" is not expected here (expected KEY = VALUE, \",\" between the values "
                   "of a list, or \"}\")",
             shown_text(span_cstr(token), &shown));
    report(cfg->line, key, fault);
}

/* The text has ended inside of a statement. */
static void report_end(void)
{
    const struct scan *scan = &parser->scan;
    if (scan->open != NULL)
        report(scan->open->line, scan->open->name,
               "has a \"{\" that is not closed (expected \"}\")");
    else if (scan->count > 0)
        report(scan->statements[scan->count - 1].line, scan->statements[scan->count - 1].name,
               "is not followed by \"=\" and a value, or by a section in \"{\" and \"}\"");
}

static void on_error(cfg_t *cfg, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));

/* Takes an error of libConfuse (3.3), which has one of these formats: the programs do not set a
 * locale. */
static void on_error(cfg_t *cfg, const char *format, va_list ap)
{
    static const struct {
        const char *format, *fault;
    } rows[] = {
        {"missing equal sign after option '%s'", NO_EQUALS},
        {"missing title for section '%s'",
         "has no name or list id (expected one before its \"{\")"},
        {"missing opening brace for section '%s'",
         "is not followed by \"{\" (expected it after the name of the section)"},
    };
    char text[200];
    if (strcmp(format, "premature end of file") == 0) {
        report_end();
        return;
    }
    if (strcmp(format, "unexpected closing brace") == 0) {
        report(cfg->line, NO_VALUE, "there is a \"}\" here, but no section is open");
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(format, rows[i].format) == 0) {
            report(cfg->line, span_cstr(va_arg(ap, const char *)), rows[i].fault);
            return;
        }
    if (strcmp(format, "no such option '%s'") == 0) {
        report_name(section_of(cfg), cfg->line, span_cstr(va_arg(ap, const char *)));
    } else if (strcmp(format, "unexpected token '%s'") == 0) {
        report_token(cfg, va_arg(ap, const char *));
    } else {
        vsnprintf(text, sizeof text, format, ap);
        const cfg_opt_t *waiting = waiting_option(cfg);
        report(cfg->line, span_cstr(waiting != NULL ? waiting->name : ""), text);
    }
}

/* ---- callbacks: -1 stops libConfuse ---- */

static void add_item(struct values *values, enum key key, int line, struct span text)
{
    values->items =
        array_grow(values->items, values->count, &values->capacity, sizeof *values->items);
    values->items[values->count++] = (struct raw_item){text, line, key};
}

static int report_second(int line, const char *name, const char *is_set, int first)
{
    char fault[80];
    snprintf(fault, sizeof fault, "%s a second time (first in line %d)", is_set, first);
    report(line, span_cstr(name), fault);
    return -1;
}

static int on_value(cfg_t *cfg, cfg_opt_t *option, const char *text, void *result)
{
    enum key_section section = section_of(cfg);
    enum key key = schema_find(section, span_cstr(option->name));
    struct values *values = section == SECTION_MAIN ? &parser->top : &parser->inner;
    int *line = &values->lines[key];
    bool has_none = *text == NO_VALUES;
    parser->last_key = schema[key].name;
    parser->last_line = cfg->line;
    if (option->nvalues == 1 && *line != 0) /* the first one after "=" */
        return report_second(cfg->line, option->name, "is set", *line);
    if (has_none && schema[key].kind != KIND_TEXTS) {
        report(cfg->line, span_cstr(option->name), IS_LIST);
        return -1;
    }
    *line = *line == 0 ? cfg->line : *line;
    add_item(values, key, cfg->line,
             has_none ? NO_VALUE : arena_dup(parser->arena, span_cstr(text)));
    *(const char **)result = ""; /* for libConfuse to keep */
    return 0;
}

/* Moves the values of a section to the arena. */
static void end_section(struct values *values, struct section *section)
{
    struct raw_item *items = arena_calloc(parser->arena, values->count, sizeof *items);
    if (values->count > 0)
        memcpy(items, values->items, values->count * sizeof *items);
    section->file = parser->file;
    section->items = items;
    section->count = values->count;
    values->count = 0;
    memset(values->lines, 0, sizeof values->lines);
}

/* Returns the line where the section begins that has been read. */
static int section_line(const char *name)
{
    const struct scan *scan = &parser->scan;
    while (parser->next_statement < scan->count)
        if (span_eq(scan->statements[parser->next_statement++].name, span_cstr(name)))
            return scan->statements[parser->next_statement - 1].line;
    return 1;
}

/* Takes a section at its "}". libConfuse compares the title of a new section with all before it,
 * so that each is removed here (100,000 in one file took 33 s, and take 0.1 s). */
static int on_section(cfg_t *cfg, cfg_opt_t *option)
{
    cfg_t *inner = cfg_opt_getnsec(option, 0);
    struct section section = {.kind = schema_find(SECTION_MAIN, span_cstr(option->name)),
                              .line = section_line(option->name)};
    (void)cfg;
    if (section.kind == KEY_DEFAULTS && parser->defaults_line != 0)
        return report_second(section.line, option->name, "is here", parser->defaults_line);
    if (section.kind == KEY_DEFAULTS)
        parser->defaults_line = section.line;
    if (inner->title != NULL)
        section.title = arena_dup(parser->arena, span_cstr(inner->title));
    end_section(&parser->inner, &section);
    parser->sections =
        array_grow(parser->sections, parser->count, &parser->capacity, sizeof section);
    parser->sections[parser->count++] = section;
    cfg_opt_rmnsec(option, 0);
    return 0;
}

/* ---- options ---- */

#define OPTIONS_MAX (KEY_COUNT + 1)
#define WORDS_MAX   64

/* The different words before a "=" in a text. */
struct words {
    struct span items[WORDS_MAX];
    size_t count; /* more than WORDS_MAX: there are others */
};

static bool has_word(const struct words *words, struct span word)
{
    for (size_t i = 0; i < words->count && i < WORDS_MAX; i++)
        if (span_eq(words->items[i], word))
            return true;
    return words->count > WORDS_MAX;
}

static void find_words(struct words *words, const char *text)
{
    words->count = 0;
    for (const char *p = text; *p != '\0'; p++) {
        const char *end = p;
        if (*p != '=')
            continue;
        while (end > text && ascii_is_space(end[-1]))
            end--;
        const char *begin = end;
        while (begin > text && ((begin[-1] >= 'a' && begin[-1] <= 'z') || begin[-1] == '_'))
            begin--;
        struct span word = span_of(begin, (size_t)(end - begin));
        if (word.n == 0 || has_word(words, word))
            continue;
        if (words->count < WORDS_MAX)
            words->items[words->count] = word;
        words->count++;
    }
}

/* Fills an array with the keys of a section that are before a "=" in the text. libConfuse copies
 * each option for every section, so a key that is not used would cost as much as one that is. */
static cfg_opt_t *fill_options(cfg_opt_t options[OPTIONS_MAX], enum key_section section,
                               const struct words *words)
{
    cfg_opt_t *next = options;
    const cfg_opt_t end = CFG_END();
    for (int key = 0; key < KEY_COUNT; key++) {
        const struct schema_key *row = &schema[key];
        const cfg_opt_t one = CFG_STR_CB(row->name, NULL, CFGF_NODEFAULT, on_value);
        const cfg_opt_t list = CFG_STR_LIST_CB(row->name, NULL, CFGF_NODEFAULT, on_value);
        if (row->section == section && row->kind < KIND_SECTION &&
            has_word(words, span_cstr(row->name)))
            *next++ = row->kind == KIND_TEXTS ? list : one;
    }
    *next = end;
    return next;
}

/* Texts all of them: values are checked where all errors can be collected. */
static cfg_t *make_cfg(const char *text)
{
    static const enum key keys[] = {KEY_LIST, KEY_DEFAULTS, KEY_TOKEN, KEY_DELEGATE};
    cfg_opt_t inner[sizeof keys / sizeof keys[0]][OPTIONS_MAX], outer[OPTIONS_MAX] = {CFG_END()};
    cfg_opt_t *next = outer;
    struct words words;
    find_words(&words, text);
    if (parser->is_main)
        next = fill_options(outer, SECTION_MAIN, &words);
    for (size_t i = 0; i < (parser->is_main ? sizeof keys / sizeof keys[0] : 1); i++) {
        const struct schema_key *row = &schema[keys[i]];
        bool has_title = row->kind == KIND_TITLED_SECTION;
        fill_options(inner[i], schema_keys_in(keys[i]), &words);
        /* CFGF_DEFINIT: nothing has a default, so libConfuse need not look for one in every
         * section, which takes it a comparison for each pair of options. */
        cfg_opt_t section =
            CFG_SEC(row->name, inner[i], CFGF_MULTI | CFGF_DEFINIT | (has_title ? CFGF_TITLE : 0));
        const cfg_opt_t end = CFG_END();
        section.validcb = on_section;
        *next++ = section;
        *next = end;
    }
    cfg_t *cfg = cfg_init(outer, CFGF_NONE);
    if (cfg == NULL)
        memory_exhausted();
    cfg_set_error_function(cfg, on_error);
    return cfg;
}

/* ---- the whole ---- */

/* cfg_free also puts libConfuse's lexer, which may have stopped in the middle, back to its start.
 */
static void run(const char *text, struct section *top)
{
    cfg_t *cfg = make_cfg(text);
    bool is_right = cfg_parse_buf(cfg, text) == CFG_SUCCESS;
    if (is_right && parser->scan.open != NULL)
        report_end();
    else if (!is_right && parser->fault_line == 0)
        report(1, NO_VALUE, "the file is not understood (expected KEY = VALUE, and sections)");
    end_section(&parser->top, top);
    cfg_free(cfg);
}

/* True if the error is in a list, and only lists come after it. */
static bool fault_is_in_lists(void)
{
    const struct scan *scan = &parser->scan;
    for (size_t i = scan->count; i-- > 0;) {
        if (!span_eq(scan->statements[i].name, span_cstr(schema[KEY_LIST].name)))
            return false;
        if (scan->statements[i].line <= parser->fault_line)
            return true;
    }
    return false;
}

struct parsed parse(const char *file, bool is_main, char *text, size_t length, struct arena *arena,
                    struct diagnostics *diagnostics)
{
    struct parsed out = {.top = {.kind = KEY_COUNT, .file = file, .line = 1}};
    struct parser p = {
        .file = file, .is_main = is_main, .arena = arena, .diagnostics = diagnostics};
    parser = &p;
    text[length] = '\0';
    p.scan = scan_text(text, length);
    if (p.scan.fault != NULL)
        report(p.scan.fault_line, p.scan.fault_key, p.scan.fault);
    else
        run(text, &out.top);
    struct section *sections = arena_calloc(arena, p.count, sizeof *sections);
    if (p.count > 0)
        memcpy(sections, p.sections, p.count * sizeof *sections);
    out.sections = sections;
    out.count = p.count;
    out.lacks_lists_only = p.fault_line == 0 || (p.scan.fault == NULL && fault_is_in_lists());
    free(p.sections);
    free(p.top.items);
    free(p.inner.items);
    scan_free(&p.scan);
    return out;
}

bool parse_is_main(char *text, size_t length)
{
    bool is_main = false;
    text[length] = '\0';
    struct scan scan = scan_text(text, length);
    for (size_t i = 0; i < scan.count && !is_main; i++) {
        enum key key = schema_find(SECTION_MAIN, scan.statements[i].name);
        is_main = key != KEY_COUNT && key != KEY_LIST;
    }
    scan_free(&scan);
    return is_main;
}
