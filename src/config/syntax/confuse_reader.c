/* confuse_reader - tells libConfuse what there is to know, and takes what it finds. */
#include "config/syntax/confuse_reader.h"

#include "config/report/say.h"
#include "config/syntax/form_faults.h"
#include "text/arena.h"
#include "text/memory.h"

#include <confuse.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * libConfuse gives its callbacks no pointer of ours. It does copy the address of a CFG_SIMPLE_INT's
 * variable into every section (3.3), so the first option of each section is bound to the first
 * member of the reader. Nobody can write its name: statements_cut refuses control characters.
 */
#define CONTEXT_NAME "\002"

/* Names in one statement that are no keys. Each costs one more reading of the statement. */
#define UNKNOWN_MAX 8

/* Wrong statements of a file, for each of which libConfuse must start anew. */
#define FAULTS_MAX DIAGNOSTICS_KEPT

/* Of an options array: the context, what the section knows, the end. */
#define FIRST_OPTION 1
#define OPTIONS_MAX  (FIRST_OPTION + KEY_COUNT + UNKNOWN_MAX + 1)

/* A name in a statement that is no key, and is known so that what is wrong behind it is found. */
struct unknown {
    const char *name; /* in the arena */
    int line;
};

struct confuse_reader {
    long context; /* first: see reader_of */
    struct diagnostics *diagnostics;
    statement_visit visit;
    void *visit_context;
    const struct statements *statements;
    size_t at;        /* the statement being read */
    enum key name;    /* which it begins with */
    int lines_before; /* of the text that libConfuse has */
    size_t faults;    /* of the file */
    bool has_fault;
    struct form_fault fault;
    cfg_t *cfg;         /* owned; NULL: not yet made, or of no more use */
    uint64_t list_keys; /* a bit for each key that a list has had */
    struct unknown unknown[UNKNOWN_MAX];
    size_t unknown_count;
    struct raw_section raw;       /* the statement */
    struct raw_value *value;      /* what is being read of it; NULL: nothing that counts */
    bool value_is_new;            /* see on_braces */
    struct diagnostics_mark mark; /* before it */
    struct arena scratch;         /* of a list, or a main file */
};

_Static_assert(KEY_COUNT <= 64, "list_keys has a bit for each key");

static struct confuse_reader *reader_of(const cfg_t *cfg)
{
    return (struct confuse_reader *)(void *)cfg->opts[0].simple_value.number;
}

static const struct statement *statement_of(const struct confuse_reader *r)
{
    return &r->statements->items[r->at];
}

/* ---- callbacks: none of them stops libConfuse ---- */

/* A key and "=" were read. The value that is to be filled, or NULL: why not has been said. */
static struct raw_value *begin_value(struct confuse_reader *r, const char *name, int line)
{
    enum key key = schema_find(form_keys_in(r->name), span_cstr(name));
    struct raw_value *value = key != KEY_COUNT ? &r->raw.values[key] : NULL;
    r->raw.has_unknown |= key == KEY_COUNT;
    if (key == KEY_COUNT)
        form_wrong_name(r->diagnostics, r->statements->file, line, form_keys_in(r->name),
                        span_cstr(name));
    else if (value->set)
        say(r->diagnostics, SEVERITY_ERROR, place_of(r->statements->file, line, name), NO_VALUE,
            "is set a second time (first in line %d)", value->items[0].line);
    if (value == NULL || value->set)
        return NULL;
    value->set = true;
    return value;
}

/* What is being read stands in braces. */
static void note_braces(struct confuse_reader *r, const char *name)
{
    r->fault.before_line = 0;
    if (r->value == NULL || schema[r->value - r->raw.values].kind == KIND_TEXTS)
        return;
    r->value->wrong = true;
    say(r->diagnostics, SEVERITY_ERROR,
        place_of(r->statements->file, r->value->items[0].line, name), NO_VALUE,
        "has a list of values (expected one value, without braces)");
}

/* Of each value, also the one that stands for none. */
static int on_value(cfg_t *cfg, cfg_opt_t *option, const char *text, void *result)
{
    struct confuse_reader *r = reader_of(cfg);
    int line = r->lines_before + cfg->line;
    if (option->nvalues == 1) {
        r->value = begin_value(r, option->name, line);
        r->fault.before = option->name;
        r->fault.before_line = line;
    }
    r->value_is_new = true;
    *(const char **)result = ""; /* for libConfuse to keep */
    if (r->value != NULL)
        raw_value_add(r->value, &r->scratch, text, line);
    if (*text == EMPTY_LIST)
        note_braces(r, option->name);
    return 0;
}

/* After each value, and once more at the "}" of a list of values. */
static int on_braces(cfg_t *cfg, cfg_opt_t *option)
{
    struct confuse_reader *r = reader_of(cfg);
    if (!r->value_is_new)
        note_braces(r, option->name);
    r->value_is_new = false;
    return 0;
}

static void begin_statement(struct confuse_reader *r)
{
    r->raw = (struct raw_section){.file = r->statements->file};
    r->fault = (struct form_fault){
        .kind = FAULT_OTHER, .line = r->lines_before + 1, .text = "cannot be understood"};
    r->mark = diagnostics_mark(r->diagnostics);
}

static void visit_statement(struct confuse_reader *r, const char *title)
{
    r->raw.line = statement_of(r)->line;
    r->raw.title = title != NULL ? span_cstr(title) : NO_VALUE;
    r->visit(r->visit_context, r->name, &r->raw);
    if (r->name == KEY_LIST)
        arena_reset(&r->scratch);
    r->at++;
    begin_statement(r);
}

/*
 * After the "}" of a section. Taking the section out again keeps libConfuse linear: it compares the
 * title of each new section with those of all before it (100,000 in one file: 33 s; this: 0.1 s).
 */
static int on_section(cfg_t *cfg, cfg_opt_t *option)
{
    visit_statement(reader_of(cfg), cfg_opt_getnsec(option, 0)->title);
    cfg_opt_rmnsec(option, 0);
    return 0;
}

static void on_error(cfg_t *cfg, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));

/* The first error of a statement, which libConfuse (3.3) gives as one of these: the programs do not
 * set a locale. */
static void on_error(cfg_t *cfg, const char *format, va_list ap)
{
    static const char *const formats[] = {
        [FAULT_UNKNOWN] = "no such option '%s'",
        [FAULT_EQUALS] = "missing equal sign after option '%s'",
        [FAULT_TITLE] = "missing title for section '%s'",
        [FAULT_BRACE] = "missing opening brace for section '%s'",
        [FAULT_TOKEN] = "unexpected token '%s'",
        [FAULT_END] = "premature end of file",
    };
    struct confuse_reader *r = reader_of(cfg);
    char text[200] = "";
    if (r->has_fault)
        return;
    r->has_fault = true;
    r->fault.line = r->lines_before + cfg->line;
    r->fault.kind = FAULT_UNKNOWN;
    while (r->fault.kind < FAULT_OTHER && strcmp(format, formats[r->fault.kind]) != 0)
        r->fault.kind++;
    if (r->fault.kind == FAULT_OTHER)
        vsnprintf(text, sizeof text, format, ap);
    else if (r->fault.kind != FAULT_END)
        snprintf(text, sizeof text, "%s", va_arg(ap, const char *));
    r->fault.text = arena_strdup(&r->scratch, span_cstr(text));
    for (const cfg_opt_t *option = cfg->opts + FIRST_OPTION; option->name != NULL; option++)
        if ((option->flags & CFGF_RESET) != 0) /* until it has a value */
            r->fault.waiting = option->name;
}

/* ---- options ---- */

/* Of the keys of a list, those that one has had: libConfuse copies each option, its name too, for
 * every section, so that to know keys that nobody uses costs as much as to read some that are used.
 */
static bool is_to_know(const struct confuse_reader *r, enum key key)
{
    if (!schema_is_section(r->name))
        return key == r->name;
    return schema[key].section == form_keys_in(r->name) &&
           (r->name != KEY_LIST || (r->list_keys >> key & 1) != 0);
}

/* libConfuse has met a name that it does not know. true: it will. One that says so in words that we
 * do not know gets to know all. */
static bool learn(struct confuse_reader *r)
{
    enum key key = schema_find(form_keys_in(r->name), span_cstr(r->fault.text));
    if (r->fault.kind == FAULT_OTHER && r->name == KEY_LIST && r->list_keys != UINT64_MAX) {
        r->list_keys = UINT64_MAX;
        return true;
    }
    if (r->fault.kind != FAULT_UNKNOWN)
        return false;
    if (key != KEY_COUNT && !is_to_know(r, key))
        r->list_keys |= UINT64_C(1) << key;
    else if (r->unknown_count < UNKNOWN_MAX)
        r->unknown[r->unknown_count++] = (struct unknown){r->fault.text, r->fault.line};
    else
        return false;
    return true;
}

/* Texts all of them: what they mean is checked where all errors can be collected. */
static cfg_opt_t value_option(const char *name)
{
    cfg_opt_t option = CFG_STR_LIST_CB(name, NULL, CFGF_NODEFAULT, on_value);
    option.validcb = on_braces;
    return option;
}

static void make_cfg(struct confuse_reader *r)
{
    const cfg_opt_t context = CFG_SIMPLE_INT(CONTEXT_NAME, &r->context);
    const cfg_opt_t end = CFG_END();
    cfg_opt_t inner[OPTIONS_MAX] = {context};
    cfg_opt_t outer[] = {context, end, end};
    cfg_opt_t *next = &inner[FIRST_OPTION];
    for (int key = 0; key < KEY_COUNT; key++)
        if (is_to_know(r, (enum key)key))
            *next++ = value_option(schema[key].name);
    for (size_t i = 0; i < r->unknown_count; i++)
        *next++ = value_option(r->unknown[i].name);
    *next = end;
    /* CFGF_DEFINIT: nothing has a default, so libConfuse need not look for one in every section,
     * which takes it a comparison for each pair of options. */
    int title = schema[r->name].kind == KIND_TITLED_SECTION ? CFGF_TITLE : CFGF_NONE;
    cfg_opt_t section = CFG_SEC(schema[r->name].name, inner, CFGF_MULTI | CFGF_DEFINIT | title);
    section.validcb = on_section;
    outer[FIRST_OPTION] = schema_is_section(r->name) ? section : inner[FIRST_OPTION];
    r->cfg = cfg_init(outer, CFGF_NONE);
    if (r->cfg == NULL)
        memory_exhausted();
    cfg_set_error_function(r->cfg, on_error);
}

static void drop_cfg(struct confuse_reader *r)
{
    cfg_free(r->cfg);
    r->cfg = NULL;
}

/* ---- statements ---- */

/* Ends the program if libConfuse could lack memory for a text of this length. By itself libConfuse
 * (3.3) would crash then. Its options and its lexer take some 20 kB. */
static void ensure_memory(size_t length)
{
    free(memory_resize(NULL, 65536 + 4 * length, 1));
}

/* Reads the statements from the one at hand up to end. Returns true, or false at one with a fault.
 */
static bool parse(struct confuse_reader *r, size_t end)
{
    const struct statement *first = statement_of(r);
    const struct statement *last = &r->statements->items[end - 1];
    size_t length = last->end - first->begin;
    r->lines_before = first->line - 1;
    r->has_fault = false;
    begin_statement(r);
    ensure_memory(length);
    if (r->cfg == NULL)
        make_cfg(r);
    FILE *stream = fmemopen(r->statements->text + first->begin, length, "r");
    if (stream == NULL)
        memory_exhausted();
    bool is_right = cfg_parse_fp(r->cfg, stream) == CFG_SUCCESS;
    fclose(stream);
    if (is_right && !schema_is_section(r->name))
        visit_statement(r, NULL);
    if (is_right && last->is_open) { /* libConfuse (3.3) does not miss the last "}" */
        r->fault.kind = FAULT_END;
        r->at = end - 1;
        is_right = false;
    }
    return is_right;
}

static void tell_fault(struct confuse_reader *r)
{
    r->fault.statement = r->name;
    r->fault.statement_line = statement_of(r)->line;
    for (size_t i = 0; i < r->unknown_count; i++)
        if (strcmp(r->unknown[i].name, r->fault.text) == 0)
            r->fault.name_line = r->unknown[i].line;
    form_fault_tell(r->diagnostics, r->statements->file, &r->fault);
}

void confuse_reader_begin(struct confuse_reader *r, const struct statements *statements)
{
    r->statements = statements;
    r->faults = r->unknown_count = 0;
    arena_reset(&r->scratch);
}

/* An error leaves libConfuse's lexer in the middle of it, and only cfg_free resets that. */
bool confuse_read(struct confuse_reader *r, enum key name, size_t first, size_t end)
{
    bool all_right = true;
    if (name != r->name)
        drop_cfg(r);
    r->name = name;
    r->at = first;
    while (r->at < end && r->faults < FAULTS_MAX) {
        bool is_right = parse(r, r->unknown_count > 0 ? r->at + 1 : end);
        if (!is_right && learn(r)) {
            diagnostics_forget(r->diagnostics, r->mark); /* it will be said again */
            drop_cfg(r);
            continue;
        }
        if (!is_right) {
            tell_fault(r);
            all_right = false;
            r->at++;
        }
        if (!is_right || r->unknown_count > 0) {
            drop_cfg(r);
            r->faults++;
        }
        r->unknown_count = 0;
    }
    return all_right && r->at == end; /* more faults are not told */
}

/* ---- readers ---- */

struct confuse_reader *confuse_reader_new(struct diagnostics *diagnostics, statement_visit visit,
                                          void *context)
{
    struct confuse_reader *reader = memory_new(1, sizeof *reader);
    reader->diagnostics = diagnostics;
    reader->visit = visit;
    reader->visit_context = context;
    arena_init(&reader->scratch, 16384);
    return reader;
}

void confuse_reader_free(struct confuse_reader *reader)
{
    drop_cfg(reader);
    arena_free(&reader->scratch);
    free(reader);
}
