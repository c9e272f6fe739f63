/* confuse_reader - drives libConfuse over a text and takes the values out of its sections. */
#include "config/syntax/confuse_reader.h"

#include "config/report/say.h"
#include "config/syntax/value_lines.h"
#include "text/arena.h"
#include "text/strbuf.h"

#include <confuse.h>
#include <stdlib.h>
#include <string.h>

/*
 * libConfuse gives its callbacks no pointer of ours. It does copy the address of a CFG_SIMPLE_INT's
 * variable into every section (3.3), so the first option of each section is bound to the first
 * member of what is known about its kind. Nobody can write its name: config_scan refuses control
 * characters.
 */
#define CONTEXT_NAME "\001"

#define MAIN_KEYS     (MAIN_LAST_KEY - MAIN_FIRST_KEY + 1)
#define LIST_KEYS     (LIST_LAST_KEY - LIST_FIRST_KEY + 1)
#define TOKEN_KEYS    (TOKEN_LAST_KEY - TOKEN_FIRST_KEY + 1)
#define DELEGATE_KEYS (DELEGATE_LAST_KEY - DELEGATE_FIRST_KEY + 1)
/* Of an options array: the context, the keys in the order of the table, and what comes behind. */
#define FIRST_OPTION 1

/* What libConfuse takes for its options and its lexer, in octets: some 20 kB. */
#define ROOM_TO_READ ((size_t)64 * 1024)

/* The keys that libConfuse knows in a kind of sections, in the order of its options. */
struct known_keys {
    long context; /* first: see known_of */
    struct confuse_reader *reader;
    enum section_kind kind;
    enum key keys[KEY_COUNT];
    size_t count;
    struct value_lines lines; /* of the section being read */
};

struct confuse_reader {
    struct diagnostics *diagnostics;
    section_visit visit;
    void *visit_context;
    const char *file;
    const struct config_scan *scan;
    size_t lists_read;    /* of the text at hand */
    size_t sections_read; /* the same: tokens and delegates */
    bool out_of_memory;
    bool syntax_error;
    struct arena scratch;   /* of one section */
    struct raw_section raw; /* large; one at a time */
    uint64_t list_key_bits; /* those in list_keys */
    struct known_keys main_keys;
    struct known_keys list_keys; /* and of `defaults` */
    struct known_keys token_keys;
    struct known_keys delegate_keys;
    cfg_t *lists; /* owned; NULL: not yet made, or of no more use */
    cfg_opt_t list_options[FIRST_OPTION + LIST_KEYS + 1];
    cfg_opt_t file_options[FIRST_OPTION + 2];
    cfg_opt_t token_options[FIRST_OPTION + TOKEN_KEYS + 1];
    cfg_opt_t delegate_options[FIRST_OPTION + DELEGATE_KEYS + 1];
    cfg_opt_t main_options[FIRST_OPTION + MAIN_KEYS + 4];
};

static struct known_keys *known_of(const cfg_t *cfg)
{
    return (struct known_keys *)(void *)cfg->opts[0].simple_value.number;
}

/* ---- callbacks: none of them stops libConfuse but for lack of memory ---- */

/* After each value, and once more at the "}" of a list of values. */
static int on_value(cfg_t *cfg, cfg_opt_t *option)
{
    struct known_keys *known = known_of(cfg);
    size_t at = (size_t)(option - cfg->opts) - FIRST_OPTION;
    if (value_lines_note(&known->lines, known->keys[at], option->nvalues, cfg->line) == 0)
        return 0;
    known->reader->out_of_memory = true;
    return -1;
}

/* Fills reader->raw with the values of a section; the texts stay libConfuse's. 0 or -1. */
static int take_values(struct confuse_reader *reader, const cfg_t *cfg, struct known_keys *known)
{
    struct raw_section *raw = &reader->raw;
    struct raw_item *items[KEY_COUNT] = {NULL};
    arena_reset(&reader->scratch);
    memset(raw, 0, sizeof *raw);
    raw->file = reader->file;
    raw->line = 1;
    for (size_t i = 0; i < known->count; i++) {
        const cfg_opt_t *option = &cfg->opts[FIRST_OPTION + i];
        enum key key = known->keys[i];
        struct raw_value *value = &raw->values[key];
        value->set = (option->flags & CFGF_MODIFIED) != 0; /* {} as well */
        value->count = value->set ? option->nvalues : 0;
        if (value->count == 0)
            continue;
        items[key] = arena_calloc(&reader->scratch, value->count, sizeof *value->items);
        if (items[key] == NULL)
            return -1;
        value->items = items[key];
        for (size_t k = 0; k < value->count; k++)
            items[key][k].text = span_cstr(option->values[k]->string);
    }
    value_lines_assign(&known->lines, items);
    value_lines_reset(&known->lines);
    return 0;
}

/* The line in which the next section of this kind begins; `otherwise` when the scan did not see it.
 */
static int next_line(struct confuse_reader *reader, enum section_kind kind, int otherwise)
{
    const struct config_scan *scan = reader->scan;
    bool list = kind == SECTION_KIND_LIST;
    const struct section_lines *lines = list ? &scan->list_lines : &scan->section_lines;
    size_t at = list ? reader->lists_read++ : reader->sections_read++;
    return at < lines->count ? lines->lines[at] : otherwise;
}

/*
 * After the "}" of a section with a title. Taking the section out again keeps libConfuse linear: it
 * compares the title of each new section with those of all before it (100,000 in one file: 33 s;
 * this: 0.1 s).
 */
static int on_titled(cfg_t *cfg, cfg_opt_t *option)
{
    (void)cfg;
    unsigned last = cfg_opt_size(option) - 1;
    const cfg_t *section = cfg_opt_getnsec(option, last);
    struct known_keys *known = known_of(section);
    struct confuse_reader *reader = known->reader;
    struct raw_section *raw = &reader->raw;
    int result = take_values(reader, section, known);
    if (result == 0) {
        raw->title = span_cstr(section->title);
        raw->line = next_line(reader, known->kind, section->line /* of the "}" */);
        result = reader->visit(reader->visit_context, known->kind, raw);
    }
    cfg_opt_rmnsec(option, last);
    if (result != 0)
        reader->out_of_memory = true;
    return result;
}

static void on_error(cfg_t *cfg, const char *format, va_list ap)
    __attribute__((format(printf, 2, 0)));

/* What config_scan has missed, if anything. */
static void on_error(cfg_t *cfg, const char *format, va_list ap)
{
    struct confuse_reader *reader = known_of(cfg)->reader;
    struct strbuf text = STRBUF_INIT;
    strbuf_addv(&text, format, ap);
    reader->syntax_error = true;
    if (strbuf_failed(&text))
        reader->out_of_memory = true;
    else
        say(reader->diagnostics, SEVERITY_ERROR, place_of(reader->file, cfg->line, NULL), NO_VALUE,
            "%s", strbuf_str(&text));
    strbuf_free(&text);
}

/* ---- options ---- */

static void know_key(struct known_keys *known, enum key key)
{
    known->keys[known->count++] = key;
}

/* Writes the context and the known keys; what comes behind them starts at the place returned. */
static cfg_opt_t *write_options(cfg_opt_t *options, struct known_keys *known, size_t count)
{
    const cfg_opt_t context = CFG_SIMPLE_INT(CONTEXT_NAME, &known->context);
    *options++ = context;
    for (size_t i = 0; i < count; i++) {
        /* Texts all of them: what they mean is checked where all errors can be collected. */
        const struct schema_key *row = &schema[known->keys[i]];
        const cfg_opt_t text = CFG_STR(row->name, NULL, CFGF_NODEFAULT);
        const cfg_opt_t texts = CFG_STR_LIST(row->name, NULL, CFGF_NODEFAULT);
        *options = row->kind == KIND_TEXTS ? texts : text;
        options++->validcb = on_value;
    }
    return options;
}

static cfg_opt_t titled_section(const char *name, cfg_opt_t *options)
{
    /* CFGF_DEFINIT: nothing has a default, so libConfuse need not look for one in every section,
     * which takes it a comparison for each pair of options. */
    cfg_opt_t section = CFG_SEC(name, options, CFGF_MULTI | CFGF_TITLE | CFGF_DEFINIT);
    section.validcb = on_titled;
    return section;
}

static void write_all_options(struct confuse_reader *reader)
{
    const cfg_opt_t defaults = CFG_SEC("defaults", reader->list_options, CFGF_NONE);
    const cfg_opt_t end = CFG_END();
    *write_options(reader->list_options, &reader->list_keys, reader->list_keys.count) = end;
    *write_options(reader->token_options, &reader->token_keys, reader->token_keys.count) = end;
    *write_options(reader->delegate_options, &reader->delegate_keys, reader->delegate_keys.count) =
        end;

    cfg_opt_t *options = write_options(reader->file_options, &reader->main_keys, 0);
    *options++ = titled_section("list", reader->list_options);
    *options = end;

    options = write_options(reader->main_options, &reader->main_keys, reader->main_keys.count);
    *options++ = defaults;
    *options++ = titled_section("token", reader->token_options);
    *options++ = titled_section("delegate", reader->delegate_options);
    *options = end;
}

/* Where memory is out, libConfuse (3.3) keeps pointers to sections that it has freed, and ends the
 * program. So that it does not get there: is as much to be had as a text of this length needs? */
static int be_sure_of_memory(size_t length)
{
    void *volatile room = malloc(ROOM_TO_READ + 4 * length); /* volatile: or it is left out */
    bool is_there = room != NULL;
    free(room);
    return is_there ? 0 : -1;
}

static void drop_lists(struct confuse_reader *reader)
{
    if (reader->lists != NULL)
        cfg_free(reader->lists);
    reader->lists = NULL;
}

/*
 * Makes the keys that sections of the text set known. libConfuse copies each option, its name
 * too, for every section, so that to know keys that nobody uses costs as much as to read some that
 * are used.
 */
static void learn_keys(struct confuse_reader *reader, uint64_t bits)
{
    if ((bits & ~reader->list_key_bits) == 0)
        return;
    reader->list_key_bits |= bits;
    reader->list_keys.count = 0;
    for (int key = LIST_FIRST_KEY; key <= LIST_LAST_KEY; key++)
        if ((reader->list_key_bits & SCAN_KEY_BIT(key)) != 0)
            know_key(&reader->list_keys, (enum key)key);
    write_all_options(reader);
    drop_lists(reader);
}

static void know_kind(struct confuse_reader *reader, struct known_keys *known,
                      enum section_kind kind, int first, int last)
{
    known->reader = reader;
    known->kind = kind;
    for (int key = first; key <= last; key++)
        know_key(known, (enum key)key);
}

struct confuse_reader *confuse_reader_new(struct diagnostics *diagnostics, section_visit visit,
                                          void *context)
{
    struct confuse_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL)
        return NULL;
    reader->diagnostics = diagnostics;
    reader->visit = visit;
    reader->visit_context = context;
    arena_init(&reader->scratch, 16384);
    know_kind(reader, &reader->main_keys, SECTION_KIND_MAIN, MAIN_FIRST_KEY, MAIN_LAST_KEY);
    know_kind(reader, &reader->list_keys, SECTION_KIND_LIST, 0, -1); /* see learn_keys */
    know_kind(reader, &reader->token_keys, SECTION_KIND_TOKEN, TOKEN_FIRST_KEY, TOKEN_LAST_KEY);
    know_kind(reader, &reader->delegate_keys, SECTION_KIND_DELEGATE, DELEGATE_FIRST_KEY,
              DELEGATE_LAST_KEY);
    write_all_options(reader);
    return reader;
}

void confuse_reader_free(struct confuse_reader *reader)
{
    if (reader == NULL)
        return;
    drop_lists(reader);
    arena_free(&reader->scratch);
    value_lines_free(&reader->main_keys.lines);
    value_lines_free(&reader->list_keys.lines);
    value_lines_free(&reader->token_keys.lines);
    value_lines_free(&reader->delegate_keys.lines);
    free(reader);
}

/* ---- texts ---- */

static int parse_stream(struct confuse_reader *reader, cfg_t *cfg, FILE *stream)
{
    int result = cfg_parse_fp(cfg, stream);
    if (reader->out_of_memory)
        return -1;
    if (result != CFG_SUCCESS && !reader->syntax_error)
        say(reader->diagnostics, SEVERITY_ERROR, place_of(reader->file, cfg->line, NULL), NO_VALUE,
            "cannot be understood");
    return result == CFG_SUCCESS ? 0 : 1;
}

/* Parses text with a cfg_t that is new, or has read other texts without an error: an error leaves
 * libConfuse's lexer in the middle of it, and only cfg_free resets that. 0; 1: an error has been
 * added to the diagnostics; -1. */
static int parse(struct confuse_reader *reader, cfg_t *cfg, char *text, size_t length)
{
    value_lines_reset(&reader->main_keys.lines);
    value_lines_reset(&reader->list_keys.lines);
    value_lines_reset(&reader->token_keys.lines);
    value_lines_reset(&reader->delegate_keys.lines);
    reader->lists_read = 0;
    reader->sections_read = 0;
    reader->syntax_error = false;
    reader->out_of_memory = false;
    cfg_set_error_function(cfg, on_error);
    if (be_sure_of_memory(length) != 0)
        return -1;
    free(cfg->filename);
    cfg->filename = strdup(reader->file);
    if (cfg->filename == NULL)
        return -1;
    if (length == 0) /* fmemopen may refuse that */
        return 0;
    FILE *stream = fmemopen(text, length, "r");
    if (stream == NULL)
        return -1;
    int result = parse_stream(reader, cfg, stream);
    fclose(stream);
    return result;
}

static int visit_main(struct confuse_reader *reader, const cfg_t *cfg)
{
    const cfg_opt_t *defaults = &cfg->opts[FIRST_OPTION + reader->main_keys.count];
    if (take_values(reader, cfg, &reader->main_keys) != 0 ||
        reader->visit(reader->visit_context, SECTION_KIND_MAIN, &reader->raw) != 0)
        return -1;
    if (take_values(reader, defaults->values[0]->section, &reader->list_keys) != 0)
        return -1;
    return reader->visit(reader->visit_context, SECTION_KIND_DEFAULTS, &reader->raw);
}

int confuse_read_main(struct confuse_reader *reader, const char *file,
                      const struct config_scan *scan)
{
    learn_keys(reader, scan->list_keys);
    if (be_sure_of_memory(0) != 0)
        return -1;
    cfg_t *cfg = cfg_init(reader->main_options, CFGF_NONE);
    if (cfg == NULL)
        return -1;
    reader->file = file;
    reader->scan = scan;
    int result = parse(reader, cfg, scan->rest, scan->rest_length);
    reader->scan = NULL;
    if (result >= 0)
        result = visit_main(reader, cfg);
    cfg_free(cfg);
    return result;
}

/* One cfg_t serves all files: making one takes longer than reading a file with one list. */
int confuse_read_lists(struct confuse_reader *reader, const char *file,
                       const struct config_scan *scan)
{
    if (scan->list_lines.count == 0)
        return 0;
    learn_keys(reader, scan->list_keys);
    if (reader->lists == NULL)
        reader->lists = cfg_init(reader->file_options, CFGF_NONE);
    if (reader->lists == NULL)
        return -1;
    reader->file = file;
    reader->scan = scan;
    int result = parse(reader, reader->lists, scan->lists, scan->length);
    reader->scan = NULL;
    if (result != 0)
        drop_lists(reader);
    return result < 0 ? -1 : 0;
}
