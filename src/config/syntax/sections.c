/* sections - sorts statements by what they begin with. */
#include "config/syntax/sections.h"

#include "config/report/say.h"
#include "config/syntax/confuse_reader.h"
#include "config/syntax/form_faults.h"
#include "text/memory.h"

#include <stdlib.h>
#include <string.h>

struct sections {
    struct diagnostics *diagnostics;
    section_visit visit;
    void *context;
    struct confuse_reader *reader;
    struct raw_section main;
    struct raw_section defaults;
    int seen[KEY_COUNT]; /* the lines of what a main file may have once */
    bool lacks_some;     /* see sections_lists */
};

static enum key key_of(const struct statements *statements, size_t i)
{
    return schema_find(SECTION_MAIN, statement_name(statements, i));
}

static void visit_statement(void *context, enum key name, const struct raw_section *read)
{
    struct sections *s = context;
    struct raw_section section = *read;
    switch (name) {
    case KEY_TOKEN:
        s->visit(s->context, SECTION_KIND_TOKEN, &section);
        break;
    case KEY_DELEGATE:
        s->visit(s->context, SECTION_KIND_DELEGATE, &section);
        break;
    case KEY_LIST:
        if (!s->lacks_some)
            s->visit(s->context, SECTION_KIND_LIST, &section);
        break;
    case KEY_DEFAULTS:
        s->defaults = section;
        break;
    default:
        s->main.values[name] = section.values[name];
    }
}

/* What is wrong with a statement that does not begin with a key, and where. NULL: nothing but that.
 */
static const char *stray_fault(const struct statements *all, size_t i, struct place *place,
                               struct shown *key)
{
    const struct statement *statement = &all->items[i];
    const struct statement *before = i > 0 ? statement - 1 : statement;
    bool same_line = before->form == FORM_ASSIGNMENT && before->end_line == statement->line;
    char first = all->text[statement->begin];
    *place = place_of(all->file, statement->line, NULL);
    if (first == '}')
        return "there is a \"}\" here, but no section is open";
    if (i > 0 && before->name_length > 0 && (first == ',' || same_line))
        place->key = shown_text(statement_name(all, i - 1), key);
    if (first == ',')
        return FORM_COMMA;
    if (first == '=' && same_line) {
        place->line = before->line;
        return FORM_NO_VALUE;
    }
    if (same_line && statement->form == FORM_NONE)
        return FORM_SECOND_WORD;
    place->key = NULL;
    return statement->name_length > 0 ? NULL
                                      : "something else is where a key belongs (expected a "
                                        "key or a section)";
}

/* An error about a statement that may not stand there. */
static void wrong_name(struct sections *s, const struct statements *all, size_t i, bool is_main)
{
    const struct statement *statement = &all->items[i];
    struct place place;
    struct shown key;
    const char *fault = NULL;
    if (key_of(all, i) == KEY_COUNT)
        fault = stray_fault(all, i, &place, &key);
    if (fault != NULL)
        say(s->diagnostics, SEVERITY_ERROR, place, NO_VALUE, "%s", fault);
    else if (is_main)
        form_wrong_name(s->diagnostics, all->file, statement->line, SECTION_MAIN,
                        statement_name(all, i));
    else
        form_wrong_in_list_file(s->diagnostics, all->file, statement->line, statement_name(all, i));
}

/* May the statement stand there, and has it the form of its kind? Else an error has been added. */
static bool check(struct sections *s, const struct statements *all, size_t i)
{
    const struct statement *statement = &all->items[i];
    enum key key = key_of(all, i);
    if (key == KEY_COUNT) {
        wrong_name(s, all, i, true);
        s->lacks_some |= strchr("{}", all->text[statement->begin]) != NULL;
        return false;
    }
    bool is_section = schema_is_section(key);
    struct place place = place_of(all->file, statement->line, schema[key].name);
    if (is_section && statement->form != FORM_SECTION)
        say(s->diagnostics, SEVERITY_ERROR, place, NO_VALUE,
            "is a section (expected \"{\", no \"=\")");
    else if (!is_section && statement->form != FORM_ASSIGNMENT)
        say(s->diagnostics, SEVERITY_ERROR, place, NO_VALUE, FORM_NO_EQUALS);
    else if (schema[key].kind != KIND_TITLED_SECTION && s->seen[key] != 0)
        say(s->diagnostics, SEVERITY_ERROR, place, NO_VALUE, "%s a second time (first in line %d)",
            is_section ? "is here" : "is set", s->seen[key]);
    else
        return true;
    s->lacks_some |= is_section && key != KEY_LIST && statement->form != FORM_SECTION;
    return false;
}

void sections_of_main(struct sections *s, const struct statements *statements)
{
    const char *file = statements->file;
    confuse_reader_begin(s->reader, statements);
    s->main = s->defaults = (struct raw_section){.file = file, .line = 1};
    memset(s->seen, 0, sizeof s->seen);
    s->lacks_some = false;
    for (size_t i = 0; i < statements->count; i++) {
        const struct statement *statement = &statements->items[i];
        enum key key = key_of(statements, i);
        if (key == KEY_LIST || !check(s, statements, i))
            continue;
        s->seen[key] = statement->line;
        if (!confuse_read(s->reader, key, i, i + 1) && (key == KEY_DEFAULTS || key == KEY_TOKEN))
            s->lacks_some = true;
    }
    s->visit(s->context, SECTION_KIND_MAIN, &s->main);
    s->visit(s->context, SECTION_KIND_DEFAULTS, &s->defaults);
}

static bool is_list(const struct statements *statements, size_t i)
{
    return span_eq(statement_name(statements, i), span_cstr(schema[KEY_LIST].name));
}

void sections_lists(struct sections *s, const struct statements *statements)
{
    confuse_reader_begin(s->reader, statements);
    for (size_t first = 0, end; first < statements->count; first = end) {
        end = first + 1;
        if (!is_list(statements, first) || !check(s, statements, first))
            continue;
        while (end < statements->count && is_list(statements, end) &&
               statements->items[end].form == FORM_SECTION)
            end++;
        confuse_read(s->reader, KEY_LIST, first, end);
    }
}

void sections_of_list_file(struct sections *s, const struct statements *statements)
{
    for (size_t i = 0; i < statements->count; i++)
        if (!is_list(statements, i))
            wrong_name(s, statements, i, false);
    sections_lists(s, statements);
}

int sections_list_line(const struct statements *statements, size_t n)
{
    for (size_t i = 0; i < statements->count; i++)
        if (is_list(statements, i) && n-- == 0)
            return statements->items[i].line;
    return 0;
}

bool sections_are_main(const struct statements *statements)
{
    for (size_t i = 0; i < statements->count; i++)
        if (!is_list(statements, i) && key_of(statements, i) != KEY_COUNT)
            return true;
    return false;
}

struct sections *sections_new(struct diagnostics *diagnostics, section_visit visit, void *context)
{
    struct sections *s = memory_new(1, sizeof *s);
    s->diagnostics = diagnostics;
    s->visit = visit;
    s->context = context;
    s->reader = confuse_reader_new(diagnostics, visit_statement, s);
    return s;
}

void sections_free(struct sections *s)
{
    confuse_reader_free(s->reader);
    free(s);
}
