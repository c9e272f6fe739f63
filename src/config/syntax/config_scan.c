/* config_scan - walks the tokens of a file along its grammar. */
#include "config/syntax/config_scan.h"

#include "config/report/say.h"
#include "config/syntax/config_cut.h"
#include "config/syntax/config_keys.h"
#include "config/syntax/config_lex.h"
#include "config/syntax/schema.h"

#include <stdlib.h>

_Static_assert(KEY_COUNT <= 64, "SCAN_KEY_BIT has a bit for each key");

struct scanner {
    struct config_scan *scan;
    const char *file;
    struct diagnostics *diagnostics;
    struct config_lexer lexer;
    struct config_token token; /* the one looked at */
    struct span before;        /* the key or section before it, for messages */
    int word_line;             /* of that key's value, a word without quotes; else 0 */
    struct list_place *lists;
    size_t capacity;
    bool out_of_memory;
    struct config_keys keys;
};

static void next(struct scanner *s)
{
    s->token = config_lex(&s->lexer);
}

#define NO_SEMICOLON                                                                               \
    "a \";\" stands here, and none is needed (expected nothing between keys, \",\" between "       \
    "values, \"#\" before a comment)"

/* A fault of the form. Always false: nothing behind it can be trusted. */
static bool refuse(struct scanner *s, int line, struct span about, const char *fault)
{
    if (s->token.kind == TOKEN_FAULT) { /* what the lexer says is nearer to the truth */
        line = s->token.line;
        fault = s->lexer.fault;
    } else if (s->token.kind == TOKEN_SEMICOLON) {
        line = s->token.line;
        fault = NO_SEMICOLON;
    }
    struct shown shown;
    say(s->diagnostics, SEVERITY_ERROR,
        place_of(s->file, line, about.n > 0 ? shown_text(about, &shown) : NULL), NO_VALUE, "%s",
        fault);
    return false;
}

#define SECOND_WORD                                                                                \
    "has a value of several words (they must stand in quotes, as in KEY = \"two words\")"

static bool is_value(const struct scanner *s)
{
    return s->token.kind == TOKEN_WORD || s->token.kind == TOKEN_STRING;
}

/* Something stands where a key must. */
static bool refuse_no_key(struct scanner *s, const char *fault)
{
    int line = s->token.line;
    if (s->token.kind == TOKEN_SEMICOLON)
        return refuse(s, line, s->before, NO_SEMICOLON);
    if (s->token.kind == TOKEN_COMMA)
        return refuse(s, line, s->before,
                      "a \",\" stands here, and none is needed (expected nothing between keys)");
    if (s->token.kind == TOKEN_STRING && s->word_line == line)
        return refuse(s, line, s->before, SECOND_WORD);
    return refuse(s, line, span_of(NULL, 0), fault);
}

static bool is_section(struct span name)
{
    enum key key = schema_find(SECTION_MAIN, name);
    return key >= SECTION_FIRST_KEY && key <= SECTION_LAST_KEY;
}

/* Does this word look like a key, with what is before it and the token behind it? */
static bool is_key(struct scanner *s, struct config_token word)
{
    struct span name = word.text;
    while (name.n > 0 && name.p[name.n - 1] == ':')
        name.n--;
    if (s->word_line == word.line && s->token.kind != TOKEN_EQUALS && s->token.kind != TOKEN_OPEN &&
        !is_section(word.text))
        return refuse(s, word.line, s->before, SECOND_WORD);
    if (name.n < word.text.n)
        return refuse(s, word.line, name,
                      "a \":\" stands behind the name (expected KEY = VALUE or a section { ... })");
    return true;
}

/* "{" is behind the cursor. values = [ value *( "," value ) ] [ "," ] "}" */
static bool scan_values(struct scanner *s, struct span key, int open_line)
{
    while (s->token.kind != TOKEN_CLOSE) {
        if (!is_value(s))
            return refuse(s, s->token.kind == TOKEN_END ? open_line : s->token.line, key,
                          "the list of values is not closed (expected a value or \"}\")");
        next(s);
        if (s->token.kind == TOKEN_COMMA)
            next(s);
        else if (s->token.kind != TOKEN_CLOSE)
            return refuse(s, s->token.kind == TOKEN_END ? open_line : s->token.line, key,
                          "a value is not followed by another one or the end of the list "
                          "(expected \",\" or \"}\")");
    }
    next(s);
    return true;
}

/* "=" is behind the cursor. */
static bool scan_value(struct scanner *s, struct span key, int line, bool *braces)
{
    *braces = s->token.kind == TOKEN_OPEN;
    if (*braces) {
        int open_line = s->token.line;
        next(s);
        return scan_values(s, key, open_line);
    }
    if (!is_value(s))
        return refuse(s, line, key, "has no value (expected one behind \"=\")");
    bool word = s->token.kind == TOKEN_WORD;
    s->word_line = word ? s->token.line : 0;
    next(s);
    if (word && s->token.kind == TOKEN_EQUALS)
        return refuse(s, line, key, "has no value (expected one behind \"=\")");
    return true;
}

static size_t offset_of(const struct scanner *s, const char *p)
{
    return (size_t)(p - s->scan->lists);
}

/* Takes out what stands from the octet `begin` to the token looked at. */
static void take_out(struct scanner *s, size_t begin)
{
    config_blank(s->scan->lists + begin, s->scan->lists + offset_of(s, s->token.text.p));
}

/* The token looked at is "=". */
static bool scan_assignment(struct scanner *s, enum key_section section, struct config_token key,
                            bool check)
{
    bool braces = false;
    s->before = key.text;
    s->word_line = 0;
    next(s);
    if (!scan_value(s, key.text, key.line, &braces))
        return false;
    if (check && !config_keys_take(&s->keys, section, key.text, key.line, braces))
        take_out(s, offset_of(s, key.text.p));
    return true;
}

/* Up to the "}" of a section, which is looked at in the end. */
static bool scan_body(struct scanner *s, struct config_token section, enum key_section keys,
                      bool check)
{
    while (s->token.kind != TOKEN_CLOSE) {
        struct config_token key = s->token;
        if (key.kind == TOKEN_END)
            return refuse(s, section.line, section.text,
                          "the section that begins here is not closed (expected \"}\")");
        if (key.kind != TOKEN_WORD)
            return refuse_no_key(s, "something else stands where a key must stand (expected a key, "
                                    "or \"}\" at the end of the section)");
        next(s);
        if (!is_key(s, key))
            return false;
        if ((s->token.kind == TOKEN_OPEN || is_value(s)) && is_section(key.text))
            return refuse(s, key.line, key.text,
                          "a section begins inside of another one (expected the \"}\" of the "
                          "section above first)");
        if (s->token.kind != TOKEN_EQUALS)
            return refuse(s, key.line, key.text, "is not followed by \"=\" (expected KEY = VALUE)");
        if (!scan_assignment(s, keys, key, check))
            return false;
    }
    return true;
}

static bool remember_line(struct scanner *s, struct section_lines *lines, int line)
{
    if (lines->count == lines->capacity) {
        size_t capacity = lines->capacity == 0 ? 16 : lines->capacity * 2;
        int *larger = realloc(lines->lines, capacity * sizeof *larger);
        s->out_of_memory = larger == NULL;
        if (larger == NULL)
            return false;
        lines->lines = larger;
        lines->capacity = capacity;
    }
    lines->lines[lines->count++] = line;
    return true;
}

static bool remember_list(struct scanner *s, size_t begin, size_t end, int line)
{
    struct section_lines *lines = &s->scan->list_lines;
    if (!remember_line(s, lines, line))
        return false;
    struct list_place *lists = s->lists;
    if (s->capacity < lines->capacity)
        lists = realloc(s->lists, lines->capacity * sizeof *lists);
    s->out_of_memory = lists == NULL;
    if (lists == NULL)
        return false;
    s->lists = lists;
    s->capacity = lines->capacity;
    s->lists[lines->count - 1] = (struct list_place){begin, end};
    return true;
}

static enum key_section keys_of(enum key section)
{
    return section == KEY_TOKEN      ? SECTION_TOKEN
           : section == KEY_DELEGATE ? SECTION_DELEGATE
                                     : SECTION_LIST;
}

/* The title or the "{" of a section is looked at. */
static bool scan_section(struct scanner *s, struct config_token name)
{
    enum key key = schema_find(SECTION_MAIN, name.text);
    s->before = name.text;
    s->word_line = 0;
    bool has_title = is_value(s);
    if (has_title)
        next(s);
    if (s->token.kind != TOKEN_OPEN || (key != KEY_COUNT && schema[key].kind < KIND_SECTION))
        return refuse(s, name.line, name.text,
                      key != KEY_COUNT && schema[key].kind < KIND_SECTION
                          ? "is not followed by \"=\" (expected KEY = VALUE)"
                          : "is followed neither by \"=\" nor by \"{\" (expected KEY = VALUE or a "
                            "section { ... })");
    next(s);
    bool fine = config_keys_take_section(&s->keys, key, name.text, name.line, has_title);
    if (!scan_body(s, name, keys_of(key), key != KEY_COUNT))
        return false;
    size_t begin = offset_of(s, name.text.p);
    size_t end = offset_of(s, s->token.text.p) + 1; /* the "}" goes along */
    s->before = name.text;
    s->word_line = 0;
    next(s);
    if (!fine)
        take_out(s, begin);
    else if (key == KEY_LIST)
        return remember_list(s, begin, end, name.line);
    else if (schema[key].kind == KIND_TITLED_SECTION)
        return remember_line(s, &s->scan->section_lines, name.line);
    return true;
}

static bool scan_file(struct scanner *s)
{
    next(s);
    while (s->token.kind != TOKEN_END) {
        struct config_token key = s->token;
        if (key.kind == TOKEN_CLOSE)
            return refuse(s, key.line, span_of(NULL, 0),
                          "a \"}\" stands here, but no section is open");
        if (key.kind != TOKEN_WORD)
            return refuse_no_key(s, "something else stands where a key must stand (expected a key "
                                    "or a section)");
        next(s);
        if (!is_key(s, key))
            return false;
        bool fine;
        if (s->token.kind == TOKEN_EQUALS)
            fine = scan_assignment(s, SECTION_MAIN, key, true);
        else if (s->token.kind == TOKEN_OPEN || is_value(s))
            fine = scan_section(s, key);
        else
            fine = refuse(s, key.line, key.text, "is not followed by \"=\" (expected KEY = VALUE)");
        if (!fine)
            return false;
    }
    return true;
}

int config_scan(struct config_scan *scan, enum config_scan_kind kind, const char *file, char *text,
                size_t length, struct diagnostics *diagnostics)
{
    *scan = (struct config_scan){.lists = text, .length = length};
    int line;
    const char *fault = config_text_fault(span_of(text, length), &line);
    if (fault != NULL) {
        say(diagnostics, SEVERITY_ERROR, place_of(file, line, NULL), NO_VALUE, "%s", fault);
        return 1;
    }
    struct scanner s = {.scan = scan,
                        .file = file,
                        .diagnostics = diagnostics,
                        .keys = {.kind = kind, .file = file, .diagnostics = diagnostics}};
    config_lex_init(&s.lexer, text, text + length);
    bool fine = scan_file(&s);
    scan->list_keys = s.keys.list_keys;
    scan->has_main_keys = s.keys.has_main_keys;
    if (fine && config_cut(scan, kind, s.lists) != 0)
        s.out_of_memory = true;
    free(s.lists);
    if (s.out_of_memory)
        return -1;
    return fine ? 0 : 1;
}

void config_scan_free(struct config_scan *scan)
{
    free(scan->rest);
    free(scan->list_lines.lines);
    free(scan->section_lines.lines);
    *scan = (struct config_scan){.rest = NULL};
}
