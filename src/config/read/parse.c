/* parse - see section.h. Keeps what the scan finds; libConfuse reads quotes and escapes. */
#include "config/read/section.h"

#include "config/read/faults.h"
#include "config/read/scan.h"
#include "spec/variables.h"
#include "text/memory.h"

#include <confuse.h>
#include <stdlib.h>

struct parser {
    const char *file;
    bool is_main;
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct scan scan;
    struct entry *entries; /* those of a section follow one of its kind, its title, and end with
                              one of KEY_COUNT */
    size_t count, capacity;
    size_t sections, tops;     /* at most so many are in them: sections, and keys outside */
    struct span name, outer;   /* of the last key and section with entries */
    size_t begin, outer_begin; /* the first entry of each */
    bool is_wrong;             /* an item was */
    size_t others_end;         /* the first entry after the last that is of no list */
    int first_line;            /* of a key that is set a second time */
    size_t read;               /* entries that libConfuse has read */
};

/* ---- errors ---- */

/* Returns the section of the key, if it is a key of another one than `section`. */
static enum key_section find_elsewhere(enum key_section section, struct span name)
{
    for (enum key_section other = SECTION_MAIN; other <= SECTION_DELEGATE; other++)
        if (other != section && schema_find(other, name) != KEY_COUNT)
            return other;
    return section;
}

/* Returns what is said of a name that is no key of the section, or not in this file. */
static enum remark remark_of_name(const struct parser *p, enum key_section section,
                                  struct span name, enum remark found, struct span *meant)
{
    static const char *const sections[] = {"list", "list", "token", "delegate"};
    bool in_list_file = section == SECTION_MAIN && !p->is_main;
    enum key_section other = find_elsewhere(section, name);
    const char *near = schema_nearest(section, name);
    *meant = span_cstr(sections[other]);
    if (span_eq(name, span_cstr("include")))
        return ERROR_INCLUDE;
    if (in_list_file && other == SECTION_MAIN && schema_find(SECTION_MAIN, name) != KEY_COUNT)
        return ERROR_LISTS_ONLY;
    if (other != section)
        return other == SECTION_MAIN ? ERROR_KEY_OF_MAIN_FILE : ERROR_KEY_OF_SECTION;
    if (in_list_file && found == ERROR_UNKNOWN_KEY && schema_nearest(SECTION_LIST, name) != NULL)
        return ERROR_KEY_OF_SECTION;
    if (in_list_file && near != schema[KEY_LIST].name)
        return ERROR_UNKNOWN_SECTION;
    *meant = span_cstr(near);
    if (near != NULL)
        return ERROR_MISSPELT_KEY;
    return span_find(name, '.') < name.n ? ERROR_UNKNOWN_SECTION : found;
}

/* True if the text is a variable of the key. */
static bool is_variable(enum key key, struct span text)
{
    enum variable found = variable_find(span_sub(text, 0, span_find(text, ':')), NULL);
    return (schema[key].variables & VAR_BIT(found)) != 0;
}

/* Returns how it is said that a key takes one text. */
static enum remark remark_of_texts(const struct scan_fault *fault, enum key key)
{
    bool has_comma = fault->remark == ERROR_SEVERAL_TEXTS, is_address = key == KEY_ADDRESS;
    bool is_template = is_variable(key, fault->text) || fault->whole.n > fault->text.n + 2;
    bool is_one = has_comma ? !is_address && schema[key].kind == KIND_TEXT : is_template;
    if (fault->whole.n > 0 && is_one)
        return ERROR_NEEDS_QUOTES;
    if (is_address && span_find(fault->text, '@') == fault->text.n)
        return ERROR_ADDRESS_IN_BRACES;
    if (fault->sign.n == 0 || key == KEY_STORE) /* a part of a password */
        return ERROR_TEXTS_FOR_ONE;
    return is_address ? ERROR_SEVERAL_ADDRESSES : ERROR_SEVERAL_FOR_ONE;
}

/* Returns how an error of the form is said of a key or section, or of an unknown name. */
static enum remark remark_of(const struct scan_fault *fault, enum key key)
{
    /* The columns: a key with one text, with texts, a section, one with a title, an unknown name.
     * REMARK_NONE: as it was found. */
    static const struct {
        enum remark found, of[5];
    } rows[] = {
        {ERROR_COLON, {0, 0, ERROR_UNTITLED_SECTION, ERROR_SECTION_WITH_EQUALS, ERROR_UNKNOWN_KEY}},
        {ERROR_TWO_EQUALS, {0, 0, ERROR_UNTITLED_SECTION, ERROR_SECTION_WITH_EQUALS}},
        {ERROR_SIGN_IN_BRACES, {0, 0, ERROR_UNTITLED_SECTION, ERROR_SECTION_WITH_EQUALS}},
        {ERROR_SECTION_WITH_EQUALS, {0, 0, ERROR_UNTITLED_SECTION}},
        {ERROR_SIGN_BEFORE_BRACE,
         {ERROR_NO_EQUALS, ERROR_NO_EQUALS_BEFORE_BRACES, ERROR_UNTITLED_SECTION, 0,
          ERROR_UNKNOWN_SECTION}},
        {ERROR_PARENTHESES,
         {ERROR_NO_EQUALS, ERROR_NO_EQUALS_BEFORE_BRACES, ERROR_UNTITLED_SECTION, 0,
          ERROR_UNKNOWN_SECTION}},
        {ERROR_TWO_TITLES, {0, 0, 0, 0, ERROR_UNKNOWN_SECTION}},
        {ERROR_NO_VALUE, {0, 0, ERROR_UNTITLED_SECTION, ERROR_NO_BRACE, ERROR_UNKNOWN_KEY}},
        {ERROR_NO_EQUALS, {0, 0, ERROR_UNTITLED_SECTION, ERROR_NO_BRACE, ERROR_UNKNOWN_KEY}},
        {ERROR_SECTION_INSIDE,
         {ERROR_KEY_AS_SECTION, ERROR_NO_EQUALS_BEFORE_BRACES, 0, 0, ERROR_UNKNOWN_SECTION}},
        {ERROR_KEY_AS_SECTION, {0, ERROR_NO_EQUALS_BEFORE_BRACES}},
        {ERROR_ITEM_NEEDS_QUOTES, {ERROR_NEEDS_QUOTES}},
    };
    enum key_kind kind = key != KEY_COUNT ? schema[key].kind : KIND_TEXTS;
    size_t column = key == KEY_COUNT              ? 4
                    : kind == KIND_TITLED_SECTION ? 3
                    : kind == KIND_SECTION        ? 2
                                                  : kind == KIND_TEXTS;
    if (key == KEY_POST && fault->remark == ERROR_SEVERAL_TEXTS &&
        span_eq_nocase(fault->text, span_cstr("NO")))
        return ERROR_NO_WITH_OTHERS;
    if (kind != KIND_TEXTS &&
        (fault->remark == ERROR_SEVERAL_TEXTS || fault->remark == ERROR_TEXTS_FOR_ONE))
        return remark_of_texts(fault, key);
    if (fault->remark == ERROR_ENVIRONMENT && column < 2 && is_variable(key, fault->text))
        return ERROR_DOLLAR;
    if (fault->remark == ERROR_NO_NAME_OF_KEY && kind >= KIND_SECTION &&
        span_eq(fault->sign, span_cstr("{")))
        return ERROR_SECTION_WITH_EQUALS;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].found == fault->remark && rows[i].of[column] != REMARK_NONE)
            return rows[i].of[column];
    return fault->remark;
}

/* Returns where the keys of a section are; an empty name is outside of all. */
static enum key_section keys_in(struct span section)
{
    return schema_keys_in(schema_find(SECTION_MAIN, section));
}

/* Returns what a message shows in place of a value or a title that is missing. */
static const char *example_for(enum key key, bool has_name)
{
    if (key == KEY_LIST || !has_name)
        return "LIST-ID";
    if (schema_is_section(key))
        return "NAME";
    if (key != KEY_COUNT && schema[key].kind == KIND_BOOL)
        return "true";
    return key != KEY_COUNT && schema[key].kind == KIND_CHOICE ? schema[key].choices[0] : "TEXT";
}

/* Reports the one error of syntax, in the words for its key. */
static void report(const struct parser *p, const struct scan_fault *f)
{
    enum key_section section = keys_in(f->section);
    enum key key = schema_find(SECTION_MAIN, f->key);
    struct span name = f->key, text = f->text, sign = f->sign;
    struct shown shown[4];
    key = schema_is_section(key) ? key : schema_find(section, name);
    enum remark remark = remark_of(f, key);
    bool is_unknown = remark == ERROR_UNKNOWN_KEY || remark == ERROR_UNKNOWN_SECTION;
    if (is_unknown && f->words.n == 0) {
        remark = remark_of_name(p, section, name, remark, &text);
    } else if (is_unknown) {
        name = f->words_key;
        text = f->words;
        remark = f->words.p[-1] == '"' || f->words.p[-1] == '\'' ? ERROR_QUOTE_INSIDE
                                                                 : ERROR_SEVERAL_WORDS;
    } else if (remark == ERROR_NEEDS_QUOTES && f->whole.n > 0) {
        text = f->whole;
        sign = span_cstr(f->remark == ERROR_SEVERAL_TEXTS ? "," : "{");
    }
    if (text.n == 0)
        text = span_cstr(example_for(key, name.n > 0));
    int number = remark == ERROR_LONG_LINE   ? LINE_BYTES_MAX
                 : remark == ERROR_KEY_TWICE ? p->first_line
                                             : f->first_line;
    const char *const with[] = {shown_text(name, &shown[0]), shown_text(text, &shown[1]),
                                shown_text(sign, &shown[2]),
                                shown_number((size_t)number, &shown[3])};
    say(p->diagnostics, SEVERITY_ERROR, place_of(p->file, f->line, name.n > 0 ? with[0] : NULL),
        NO_TEXT, remark, with);
}

/* ---- items of the scan ---- */

/* Returns what is wrong with an item, or REMARK_NONE. */
static enum remark item_fault(struct parser *p, const struct scan_item *item, enum key key)
{
    bool is_section = item->kind == SCAN_SECTION, has_title = item->text.p != NULL;
    if (key == KEY_LISTS && is_section && has_title)
        return ERROR_LISTS_AS_SECTION;
    if (key == KEY_COUNT || (item->section.n == 0 && !p->is_main && key != KEY_LIST))
        return is_section ? ERROR_UNKNOWN_SECTION : ERROR_UNKNOWN_KEY;
    if (schema_is_section(key) != is_section)
        return is_section ? ERROR_KEY_AS_SECTION : ERROR_SECTION_WITH_EQUALS;
    if (is_section && has_title != (schema[key].kind == KIND_TITLED_SECTION))
        return has_title ? ERROR_UNTITLED_SECTION : ERROR_NO_TITLE;
    if (schema[key].kind != KIND_TEXTS && !is_section && item->kind != SCAN_TEXT)
        return ERROR_TEXTS_FOR_ONE;
    for (size_t i = item->section.n > 0 ? p->outer_begin : 0; i < p->count && !is_section; i++)
        if (p->entries[i].key == key) {
            p->first_line = p->entries[i].line;
            return ERROR_KEY_TWICE;
        }
    return REMARK_NONE;
}

/* Keeps an item. After one that is wrong, notes only if one of the main file is among the rest. */
static enum remark take(const struct scan_item *item, void *of_caller)
{
    struct parser *p = of_caller;
    bool is_inside = item->section.n > 0, is_section = item->kind == SCAN_SECTION;
    bool is_of_list =
        span_eq(is_inside ? item->section : item->name, span_cstr(schema[KEY_LIST].name));
    enum key key = schema_find(keys_in(item->section), item->name);
    enum remark remark = REMARK_NONE;
    if (!p->is_wrong && item->kind != SCAN_END && item->kind != SCAN_NEXT_TEXT)
        remark = item_fault(p, item, key);
    p->is_wrong = p->is_wrong || remark != REMARK_NONE;
    if (p->is_wrong) {
        p->others_end = is_of_list || is_inside ? p->others_end : SIZE_MAX;
        return remark;
    }
    if (item->kind != SCAN_NEXT_TEXT) {
        *(is_section ? &p->outer : &p->name) = item->name;
        *(is_section ? &p->outer_begin : &p->begin) = p->count;
    }
    p->sections += is_section;
    p->tops += !is_inside && !is_section;
    p->entries = array_grow(p->entries, p->count, &p->capacity, sizeof *p->entries);
    p->entries[p->count++] = (struct entry){
        .text = item->text, .line = item->line, .key = item->kind == SCAN_END ? KEY_COUNT : key};
    p->others_end = is_of_list ? p->others_end : p->count;
    return REMARK_NONE;
}

/* Drops the statement in which the scan ended. */
static void drop_wrong(struct parser *p)
{
    struct span name = p->scan.fault.words.n > 0 ? p->scan.fault.words_key : p->scan.fault.key;
    if (name.n > 0 && name.p == p->outer.p)
        p->count = p->outer_begin;
    else if (name.n > 0 && name.p == p->name.p)
        p->count = p->begin;
    if (!p->scan.is_whole)
        p->others_end = SIZE_MAX;
}

/* ---- texts ---- */

/* libConfuse gives its callbacks no pointer of the caller. */
static struct parser *parser;

/* Returns the next entry with a text, as they are read in their order. */
static struct entry *next_entry(void)
{
    while (parser->entries[parser->read].text.p == NULL)
        parser->read++;
    return &parser->entries[parser->read];
}

static int on_text(cfg_t *cfg, cfg_opt_t *option, const char *text, void *result)
{
    (void)cfg;
    (void)option;
    next_entry()->text = arena_dup(parser->arena, span_cstr(text));
    parser->read++;
    *(const char **)result = ""; /* for libConfuse to keep */
    return 0;
}

/* Hides what libConfuse says. The scan has found all errors but wrong escapes. */
static void on_error(cfg_t *cfg, const char *format, va_list ap)
{
    (void)cfg;
    (void)format;
    (void)ap;
}

/* Has libConfuse read all texts, each as the value of one option, up to an error. */
static void read_texts(struct parser *p)
{
    cfg_opt_t options[] = {CFG_STR_CB("t", NULL, CFGF_NODEFAULT, on_text), CFG_END()};
    struct strbuf texts = STRBUF_INIT;
    cfg_t *cfg = cfg_init(options, CFGF_NONE);
    if (cfg == NULL)
        memory_exhausted();
    for (size_t i = 0; i < p->count; i++)
        if (p->entries[i].text.p != NULL) {
            strbuf_add_str(&texts, "t=");
            strbuf_add_span(&texts, p->entries[i].text);
            strbuf_add_char(&texts, '\n');
        }
    parser = p;
    cfg_set_error_function(cfg, on_error);
    if (cfg_parse_buf(cfg, strbuf_str(&texts)) == CFG_SUCCESS)
        p->read = p->count;
    else
        p->scan.fault = (struct scan_fault){.remark = ERROR_ESCAPE, .line = next_entry()->line};
    cfg_free(cfg); /* also puts its lexer back to the start */
    strbuf_free(&texts);
}

/* Checks the entries that were read, and moves them to the arena. */
static struct parsed finish(struct parser *p)
{
    struct entry *entries = arena_calloc(p->arena, p->read, sizeof *entries), *begin = NULL;
    struct entry *tops = arena_calloc(p->arena, p->tops, sizeof *tops);
    struct section *sections = arena_calloc(p->arena, p->sections, sizeof *sections);
    struct parsed out = {.top = {.kind = KEY_COUNT, .file = p->file, .line = 1, .entries = tops},
                         .sections = sections,
                         .lacks_only_lists = p->others_end <= p->read};
    for (size_t i = 0; i < p->read; i++) {
        struct entry *entry = &entries[i];
        *entry = p->entries[i];
        if (entry->key == KEY_COUNT) {
            sections[out.count++] = (struct section){.kind = begin->key,
                                                     .file = p->file,
                                                     .line = begin->line,
                                                     .title = begin->text,
                                                     .entries = begin + 1,
                                                     .count = (size_t)(entry - begin) - 1};
            begin = NULL;
        } else if (schema_is_section(entry->key)) {
            begin = entry;
        } else {
            if (entry->text.p != NULL)
                entry_check(p->file, entry, p->diagnostics);
            if (begin == NULL)
                tops[out.top.count++] = *entry;
        }
    }
    return out;
}

struct parsed parse(const char *file, struct span text, bool is_main, struct arena *arena,
                    struct diagnostics *diagnostics)
{
    struct parser p = {.file = file,
                       .is_main = is_main,
                       .arena = arena,
                       .diagnostics = diagnostics,
                       .scan = {.take = take, .of_caller = &p}};
    const struct scan_fault *cut = &p.scan.cut;
    struct shown key;
    scan_text(&p.scan, text);
    if (p.scan.fault.remark != REMARK_NONE)
        drop_wrong(&p);
    read_texts(&p);
    struct parsed out = finish(&p);
    if (p.scan.fault.remark != REMARK_NONE)
        report(&p, &p.scan.fault);
    else if (cut->remark != REMARK_NONE)
        say(diagnostics, SEVERITY_HINT, place_of(file, cut->line, shown_text(cut->key, &key)),
            cut->text, HINT_CUT, NULL);
    free(p.entries);
    return out;
}
