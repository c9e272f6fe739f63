/* form_faults - looks for what was meant. */
#include "config/syntax/form_faults.h"

#include "config/report/say.h"

#include <string.h>

enum key_section form_keys_in(enum key statement)
{
    return statement == KEY_TOKEN         ? SECTION_TOKEN
           : statement == KEY_DELEGATE    ? SECTION_DELEGATE
           : schema_is_section(statement) ? SECTION_LIST
                                          : SECTION_MAIN;
}

/* ---- names ---- */

/* The name that was probably meant. NULL: none is near, or nobody would see it. */
static const char *find_meant(const struct diagnostics *d, enum key_section section,
                              struct span name)
{
    return d->errors < DIAGNOSTICS_KEPT ? schema_nearest(section, name) : NULL;
}

void form_wrong_name(struct diagnostics *d, const char *file, int line, enum key_section section,
                     struct span name)
{
    static const char *const section_names[] = {[SECTION_MAIN] = "the main file",
                                                [SECTION_LIST] = "a list",
                                                [SECTION_TOKEN] = "a token",
                                                [SECTION_DELEGATE] = "a delegate"};
    bool has_colon = name.n > 0 && name.p[name.n - 1] == ':';
    while (name.n > 0 && name.p[name.n - 1] == ':')
        name.n--;
    struct shown shown;
    struct place place = place_of(file, line, name.n > 0 ? shown_text(name, &shown) : NULL);
    const char *meant = find_meant(d, section, name);
    if (has_colon)
        say(d, SEVERITY_ERROR, place, NO_VALUE,
            "a \":\" follows the name (expected KEY = VALUE or a section { ... })");
    else if (section == SECTION_MAIN && schema_find(SECTION_LIST, name) != KEY_COUNT)
        say(d, SEVERITY_ERROR, place, NO_VALUE,
            "is a key of a list (expected inside of a section \"list\" or \"defaults\")");
    else if (section != SECTION_MAIN && schema_find(SECTION_MAIN, name) != KEY_COUNT)
        say(d, SEVERITY_ERROR, place, NO_VALUE,
            "is a key of the main file (expected outside of the sections)");
    else if (meant != NULL)
        say(d, SEVERITY_ERROR, place, NO_VALUE, "is not known (did you mean \"%s\"?)", meant);
    else
        say(d, SEVERITY_ERROR, place, NO_VALUE, "is not known (expected a key of %s)",
            section_names[section]);
}

#define ONLY_LISTS "only list sections may stand in a list file"

void form_wrong_in_list_file(struct diagnostics *d, const char *file, int line, struct span name)
{
    struct shown shown;
    struct place place = place_of(file, line, shown_text(name, &shown));
    const char *meant = find_meant(d, SECTION_MAIN, name);
    if (schema_find(SECTION_MAIN, name) != KEY_COUNT)
        say(d, SEVERITY_ERROR, place, NO_VALUE,
            ONLY_LISTS " (expected this in the main file, mlmilter.conf)");
    else if (schema_find(SECTION_LIST, name) != KEY_COUNT ||
             (meant != NULL && strcmp(meant, schema[KEY_LIST].name) == 0))
        form_wrong_name(d, file, line, SECTION_MAIN, name);
    else
        say(d, SEVERITY_ERROR, place, NO_VALUE, ONLY_LISTS);
}

/* ---- forms ---- */

const char *form_octet_fault(const char *p, const char *end)
{
    if (end - p >= 3 && memcmp(p, "\xE2\x80", 2) == 0 &&
        strchr("\x98\x99\x9A\x9C\x9D\x9E", p[2]) != NULL)
        return "this is a typographic quote (expected \" or ' around a text)";
    switch (*p) {
    case '(':
    case ')':
        return "a parenthesis is outside quotes (expected \"...\" around the whole text)";
    case '*':
        return "a \"*\" is outside quotes (expected \"...\" around the whole text)";
    case '+':
        return "a \"+\" is outside quotes (expected \"...\" around the whole text)";
    case '"':
    case '\'':
        return "a quote is in the middle of a text (expected it before the whole text)";
    default:
        return "this character must be in quotes (expected text in quotes, a word, "
               "\"=\", \"{\", \"}\" or \",\")";
    }
}

static const char *token_fault(const struct form_fault *fault)
{
    if (fault->waiting != NULL || strcmp(fault->text, "=") == 0)
        return FORM_NO_VALUE;
    if (strcmp(fault->text, ",") == 0)
        return FORM_COMMA;
    if (strcmp(fault->text, "{") == 0)
        return "something else is where a key belongs (expected a key, or \"}\" at the end "
               "of the section)";
    return "a value is not followed by another one or the end of the list (expected \",\" or "
           "\"}\")";
}

static const char *title_fault(enum key section)
{
    return section == KEY_LIST    ? "has no list id (expected list \"ID\" { ... })"
           : section == KEY_TOKEN ? "has no name (expected token \"NAME\" { ... })"
                                  : "has no name (expected delegate \"NAME\" { ... })";
}

void form_fault_tell(struct diagnostics *d, const char *file, const struct form_fault *fault)
{
    const char *statement = schema[fault->statement].name;
    struct span name = span_cstr(fault->text);
    int line = fault->statement_line;
    const char *key = statement;
    const char *what = NULL;
    switch (fault->kind) {
    case FAULT_EQUALS:
        line = fault->name_line != 0 ? fault->name_line : fault->line;
        key = fault->text;
        if (fault->name_line == 0)
            what = FORM_NO_EQUALS;
        else if (schema_is_section(schema_find(SECTION_MAIN, name)))
            what = "a section begins inside of another one (expected the \"}\" of the section "
                   "above first)";
        else if (line == fault->before_line) {
            key = fault->before;
            what = FORM_SECOND_WORD;
        }
        break;
    case FAULT_TITLE:
        what = title_fault(fault->statement);
        break;
    case FAULT_BRACE:
        what = "has a title (expected \"{\" after the name of the section)";
        break;
    case FAULT_TOKEN:
        line = fault->line;
        key = fault->waiting != NULL  ? fault->waiting
              : fault->before != NULL ? fault->before
                                      : statement;
        what = token_fault(fault);
        break;
    case FAULT_END:
        what = schema_is_section(fault->statement)
                   ? "the section that begins here is not closed (expected \"}\")"
                   : "the list of values is not closed (expected a value or \"}\")";
        break;
    case FAULT_OTHER:
        line = fault->line;
        what = fault->text;
        break;
    case FAULT_UNKNOWN:
    default:
        line = fault->line;
    }
    if (what == NULL)
        form_wrong_name(d, file, line, form_keys_in(fault->statement), name);
    else
        say(d, SEVERITY_ERROR, place_of(file, line, key), NO_VALUE, "%s", what);
}
