/* parse - see section.h. Gives libConfuse the keys of a text, and keeps what it finds. */
#include "config/read/section.h"

#include "config/read/faults.h"
#include "config/read/scan.h"
#include "spec/variables.h"
#include "text/memory.h"

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
    bool has[KEY_COUNT]; /* keys that occur */
    int fault_line;      /* of the error that has been reported; 0: none */
    struct scan scan;
    size_t next_statement; /* after the one that the last section began with */
    struct entries top, inner;
    struct section *sections; /* in the arena: one for each statement of the scan */
    size_t count;
};

/* libConfuse gives its callbacks no pointer of the caller. */
static struct parser *parser;

/* Reports the one error of syntax. "$1" of the remark is the key. */
static void report(int line, struct span key, enum remark remark, struct span second,
                   struct span third, int fourth)
{
    struct shown shown[4];
    bool is_list = key.n == 0 || span_eq(key, span_cstr(schema[KEY_LIST].name));
    bool is_section = schema_is_section(schema_find(SECTION_MAIN, key));
    if (second.n == 0)
        second = span_cstr(is_list ? "LIST-ID" : is_section ? "NAME" : "TEXT");
    const char *const with[] = {shown_text(key, &shown[0]), shown_text(second, &shown[1]),
                                shown_text(third, &shown[2]),
                                shown_number((size_t)fourth, &shown[3])};
    if (parser->fault_line == 0)
        say(parser->diagnostics, SEVERITY_ERROR,
            place_of(parser->texts->file, line, key.n > 0 ? with[0] : NULL), NO_TEXT, remark, with);
    parser->fault_line = line;
}

/* Returns the section of the key, if it is a key of another one than `section`. */
static enum key_section find_elsewhere(enum key_section section, struct span name)
{
    for (enum key_section other = SECTION_MAIN; other <= SECTION_DELEGATE; other++)
        if (other != section && schema_find(other, name) != KEY_COUNT)
            return other;
    return section;
}

/* Reports a name that is no key of the section, or not in this file. */
static void report_name(enum key_section section, int line, struct span name, bool has_brace)
{
    static const char *const sections[] = {"", "list", "token", "delegate"};
    bool in_list_file = section == SECTION_MAIN && !parser->is_main;
    enum key_section other = find_elsewhere(section, name);
    const char *near = schema_nearest(section, name);
    enum remark remark = has_brace || in_list_file || span_find(name, '.') < name.n
                             ? ERROR_UNKNOWN_SECTION
                             : ERROR_UNKNOWN_KEY;
    if (span_eq(name, span_cstr("include")))
        remark = ERROR_INCLUDE;
    else if (in_list_file && other == SECTION_MAIN && schema_find(SECTION_MAIN, name) != KEY_COUNT)
        remark = ERROR_LISTS_ONLY;
    else if (other != section)
        remark = other == SECTION_MAIN ? ERROR_KEY_OF_MAIN_FILE : ERROR_KEY_OF_SECTION;
    else if (in_list_file && !has_brace && schema_nearest(SECTION_LIST, name) != NULL)
        remark = ERROR_KEY_OF_SECTION;
    else if (near != NULL && (!in_list_file || near == schema[KEY_LIST].name))
        remark = ERROR_MISSPELT_KEY;
    other = other == SECTION_MAIN ? SECTION_LIST : other;
    report(line, name, remark, span_cstr(remark == ERROR_MISSPELT_KEY ? near : sections[other]),
           NO_TEXT, 0);
}

/* Returns where the keys are in the section of a statement; see scan.h. */
static enum key_section section_at(const struct scan *scan, size_t open)
{
    return open == 0 ? SECTION_MAIN
                     : schema_keys_in(schema_find(SECTION_MAIN, scan->statements[open - 1].name));
}

/* Returns how an error of the grammar is said of a section. */
static enum remark remark_of_section(const struct scan_fault *fault, enum key section)
{
    bool is_titled = schema[section].kind == KIND_TITLED_SECTION;
    switch (fault->remark) {
    case ERROR_COLON:
    case ERROR_TWO_EQUALS:
    case ERROR_SIGN_IN_BRACES:
        return is_titled ? ERROR_SECTION_WITH_EQUALS : ERROR_UNTITLED_SECTION;
    case ERROR_SIGN_BEFORE_BRACE:
        if (is_titled && span_eq(fault->sign, span_cstr("(")))
            return ERROR_PARENTHESES;
        return is_titled ? fault->remark : ERROR_UNTITLED_SECTION;
    case ERROR_NO_NAME_OF_KEY:
        return span_eq(fault->sign, span_cstr("{")) ? ERROR_SECTION_WITH_EQUALS : fault->remark;
    case ERROR_NO_VALUE:
    case ERROR_NO_EQUALS:
        return is_titled ? ERROR_NO_BRACE : ERROR_UNTITLED_SECTION;
    default:
        return fault->remark;
    }
}

/* True if the text is a variable of the key. A token has its variables in no schema. */
static bool is_variable(enum key key, struct span text)
{
    uint64_t variables = schema[key].variables | (key == KEY_OF ? VAR_BIT(VAR_FIRST_TOKEN) - 1 : 0);
    enum variable found = variable_find(span_sub(text, 0, span_find(text, ':')), NULL);
    return (variables & VAR_BIT(found)) != 0;
}

/* Returns how it is said that a key takes one text. */
static enum remark remark_of_texts(const struct scan_fault *fault, enum key key)
{
    bool has_comma = fault->remark == ERROR_SEVERAL_TEXTS;
    bool is_template = is_variable(key, fault->text) || fault->whole.n > fault->text.n + 2;
    if (fault->whole.n > 0 && key != KEY_ADDRESS && has_comma && schema[key].kind == KIND_TEXT)
        return ERROR_NEEDS_QUOTES;
    if (fault->whole.n > 0 && !has_comma && is_template)
        return ERROR_NEEDS_QUOTES;
    if (key == KEY_ADDRESS && span_find(fault->text, '@') == fault->text.n)
        return ERROR_ADDRESS_IN_BRACES;
    if (fault->sign.n == 0 || key == KEY_STORE) /* a part of a password */
        return ERROR_TEXTS_FOR_ONE;
    return key == KEY_ADDRESS ? ERROR_SEVERAL_ADDRESSES : ERROR_SEVERAL_FOR_ONE;
}

/* Returns how an error of the grammar is said of a key. */
static enum remark remark_of_key(const struct scan_fault *fault, enum key key)
{
    bool takes_texts = schema[key].kind == KIND_TEXTS;
    switch (fault->remark) {
    case ERROR_SEVERAL_TEXTS:
        if (key == KEY_POST && span_eq_nocase(fault->text, span_cstr("NO")))
            return ERROR_NO_WITH_OTHERS;
        /* fall through */
    case ERROR_TEXTS_FOR_ONE:
        return takes_texts ? fault->remark : remark_of_texts(fault, key);
    case ERROR_SIGN_BEFORE_BRACE:
        return takes_texts ? ERROR_NO_EQUALS_BEFORE_BRACES : ERROR_NO_EQUALS;
    case ERROR_ENVIRONMENT:
        return is_variable(key, fault->text) ? ERROR_DOLLAR : fault->remark;
    case ERROR_ITEM_NEEDS_QUOTES:
        return takes_texts ? fault->remark : ERROR_NEEDS_QUOTES;
    case ERROR_SECTION_INSIDE:
        return takes_texts ? ERROR_NO_EQUALS_BEFORE_BRACES : ERROR_KEY_AS_SECTION;
    default:
        return fault->remark;
    }
}

/* Reports where the scan ended, in the words for that key. */
static void report_fault(const struct scan *scan)
{
    const struct scan_fault *f = &scan->fault;
    enum key_section section = section_at(scan, f->open);
    enum key key = schema_find(section, f->key), main_key = schema_find(SECTION_MAIN, f->key);
    struct span name = f->key, text = f->text, sign = f->sign;
    enum remark remark = f->remark;
    bool is_section = schema_is_section(main_key);
    bool has_brace = remark == ERROR_UNKNOWN_SECTION || remark == ERROR_SECTION_INSIDE ||
                     remark == ERROR_TWO_TITLES || remark == ERROR_SIGN_BEFORE_BRACE;
    bool has_name =
        has_brace || remark == ERROR_NO_VALUE || remark == ERROR_NO_EQUALS || remark == ERROR_COLON;
    bool is_unknown = remark == ERROR_UNKNOWN_KEY || remark == ERROR_UNKNOWN_SECTION ||
                      (has_name && key == KEY_COUNT && !is_section);
    bool is_in_quotes = f->words.n > 0 && (f->words.p[-1] == '"' || f->words.p[-1] == '\'');
    if (is_unknown && f->words.n == 0) {
        report_name(section, f->line, name, has_brace);
        return;
    }
    if (is_unknown) {
        name = f->words_key;
        text = f->words;
        remark = is_in_quotes ? ERROR_QUOTE_INSIDE : ERROR_SEVERAL_WORDS;
    } else if (is_section) {
        remark = remark_of_section(f, main_key);
    } else if (key != KEY_COUNT) {
        remark = remark_of_key(f, key);
    }
    if (remark == ERROR_NEEDS_QUOTES && f->whole.n > 0) {
        text = f->whole;
        sign = span_cstr(f->remark == ERROR_SEVERAL_TEXTS ? "," : "{");
    }
    report(f->line, name, remark, text, sign,
           remark == ERROR_LONG_LINE ? LINE_BYTES_MAX : f->first_line);
}

/* Returns what is wrong with a statement whose key is not known or has another form, or
 * REMARK_NONE. */
static enum remark judge(const struct scan *scan, const struct use *use)
{
    enum key_section section = section_at(scan, scan->open);
    enum key key = schema_find(section, use->name);
    bool is_section = use->shape == USE_SECTION, has_title = use->text.p != NULL;
    if (key == KEY_LISTS && is_section && has_title)
        return ERROR_LISTS_AS_SECTION;
    if (key == KEY_COUNT || (section == SECTION_MAIN && !parser->is_main && key != KEY_LIST))
        return is_section ? ERROR_UNKNOWN_SECTION : ERROR_UNKNOWN_KEY;
    parser->has[key] = true;
    bool is_titled = schema[key].kind == KIND_TITLED_SECTION;
    bool takes_texts = schema[key].kind == KIND_TEXTS;
    if (schema_is_section(key) && !is_section)
        return is_titled ? ERROR_SECTION_WITH_EQUALS : ERROR_UNTITLED_SECTION;
    if (schema_is_section(key) && has_title != is_titled)
        return has_title ? ERROR_UNTITLED_SECTION : ERROR_NO_TITLE;
    if (is_section && !schema_is_section(key))
        return takes_texts ? ERROR_NO_EQUALS_BEFORE_BRACES : ERROR_KEY_AS_SECTION;
    return use->shape == USE_TEXTS && !takes_texts ? ERROR_TEXTS_FOR_ONE : REMARK_NONE;
}

static void on_error(cfg_t *cfg, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));

/* Reports an error of libConfuse, whose texts are never shown. The scan has found all but
 * wrong escapes, and the text may have been cut where it ended. */
static void on_error(cfg_t *cfg, const char *format, va_list ap)
{
    bool is_escape = strstr(format, "escape") != NULL || strstr(format, "octal") != NULL;
    (void)ap;
    if (is_escape || parser->scan.fault.remark == REMARK_NONE)
        report(cfg->line, NO_TEXT, is_escape ? ERROR_ESCAPE : ERROR_NO_FORM, NO_TEXT, NO_TEXT, 0);
}

/* Returns where the keys of what libConfuse reads are. */
static enum key_section section_of(const cfg_t *cfg)
{
    return schema_keys_in(schema_find(SECTION_MAIN, span_cstr(cfg->name)));
}

/* Keeps a value, and reports what is wrong with it. Callbacks return -1 to stop libConfuse. */
static int on_value(cfg_t *cfg, cfg_opt_t *option, const char *text, void *result)
{
    enum key_section section = section_of(cfg);
    struct entries *entries = section == SECTION_MAIN ? &parser->top : &parser->inner;
    struct span name = span_cstr(option->name);
    struct entry entry = {.line = cfg->line, .key = schema_find(section, name)};
    for (size_t i = 0; option->nvalues == 1 && i < entries->count; i++) /* first after "=" */
        if (entries->items[i].key == entry.key)
            report(cfg->line, name, ERROR_KEY_TWICE, NO_TEXT, NO_TEXT, entries->items[i].line);
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
    bool is_open = i + 1 == scan->fault.open; /* libConfuse misses no last "}" */
    if (i >= scan->count || is_open)
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
    cfg_t *cfg = make_cfg();
    (void)cfg_parse_buf(cfg, text); /* on_error sees each failure */
    cfg_free(cfg);
}

/* Runs libConfuse on what is before the statement where the scan ended. */
static void run_before_fault(struct span text)
{
    struct strbuf before = STRBUF_INIT;
    strbuf_add(&before, text.p, (size_t)(parser->scan.fault.begin - text.p));
    run(strbuf_str(&before));
    strbuf_free(&before);
}

/* True if libConfuse stopped in a list, and only lists come after it. */
static bool lacks_only_lists(void)
{
    const struct scan *scan = &parser->scan;
    bool is_so = scan->is_whole;
    for (size_t i = parser->next_statement; is_so && i < scan->count; i++)
        is_so = span_eq(scan->statements[i].name, span_cstr(schema[KEY_LIST].name));
    return is_so;
}

struct parsed parse(const struct source_text *texts, size_t count, bool is_main,
                    struct arena *arena, struct diagnostics *diagnostics)
{
    struct parser p = {.texts = texts,
                       .is_main = is_main,
                       .arena = arena,
                       .diagnostics = diagnostics,
                       .scan.judge = judge};
    struct strbuf joined = STRBUF_INIT;
    struct shown key;
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
    if (p.scan.fault.remark == REMARK_NONE)
        run(strbuf_str(&joined));
    else if (count == 1 && p.scan.fault.begin != NULL)
        run_before_fault(strbuf_span(&joined));
    if (p.scan.fault.remark != REMARK_NONE && p.fault_line == 0)
        report_fault(&p.scan);
    if (p.scan.cut.remark != REMARK_NONE && p.fault_line == 0 && count == 1)
        report_hint(diagnostics, HINT_CUT,
                    place_of(texts->file, p.scan.cut.line, shown_text(p.scan.cut.key, &key)),
                    p.scan.cut.text, NULL);
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
