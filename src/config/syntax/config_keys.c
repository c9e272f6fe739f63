/* config_keys - holds keys and sections against the table of keys and those before them. */
#include "config/syntax/config_keys.h"

#include "config/report/say.h"

#include <string.h>

static void complain(struct diagnostics *d, const char *file, int line, struct span name,
                     const char *fault)
{
    struct shown shown;
    say(d, SEVERITY_ERROR, place_of(file, line, shown_text(name, &shown)), NO_VALUE, "%s", fault);
}

static void complain_unknown(struct diagnostics *d, const char *file, int line,
                             enum key_section section, struct span key)
{
    struct shown shown;
    struct place place = place_of(file, line, shown_text(key, &shown));
    static const char *const section_names[] = {[SECTION_MAIN] = "the main file",
                                                [SECTION_LIST] = "a list",
                                                [SECTION_TOKEN] = "a token",
                                                [SECTION_DELEGATE] = "a delegate"};
    const char *nearest = NULL;
    if (d->errors < DIAGNOSTICS_KEPT) /* else nobody sees it, and it takes its time */
        nearest = schema_nearest(section, key);
    if (section == SECTION_MAIN && schema_find(SECTION_LIST, key) != KEY_COUNT)
        say(d, SEVERITY_ERROR, place, NO_VALUE,
            "is a key of a list (expected inside of a section \"list\" or \"defaults\")");
    else if (section != SECTION_MAIN && schema_find(SECTION_MAIN, key) != KEY_COUNT)
        say(d, SEVERITY_ERROR, place, NO_VALUE,
            "is a key of the main file (expected outside of the sections)");
    else if (nearest != NULL)
        say(d, SEVERITY_ERROR, place, NO_VALUE, "is not known (did you mean \"%s\"?)", nearest);
    else
        say(d, SEVERITY_ERROR, place, NO_VALUE, "is not known (expected a key of %s)",
            section_names[section]);
}

/* Always false. */
static bool wrong(const struct config_keys *keys, struct span name, int line, const char *fault)
{
    complain(keys->diagnostics, keys->file, line, name, fault);
    return false;
}

/* The same of a key that was there before, in line `first`. */
static bool repeated(const struct config_keys *keys, enum key key, int line, const char *what,
                     int first)
{
    say(keys->diagnostics, SEVERITY_ERROR, place_of(keys->file, line, schema[key].name), NO_VALUE,
        "%s a second time (first in line %d)", what, first);
    return false;
}

#define ONLY_LISTS "only list sections may stand in a list file"

/* In a list file only `list` can have been meant outside of a section, or a key of a list. */
static bool unknown(const struct config_keys *keys, enum key_section section, struct span name,
                    int line)
{
    const char *nearest = NULL;
    bool is_outside = section == SECTION_MAIN && keys->kind == SCAN_LIST_FILE;
    if (is_outside && keys->diagnostics->errors < DIAGNOSTICS_KEPT)
        nearest = schema_nearest(SECTION_MAIN, name);
    if (is_outside && schema_find(SECTION_LIST, name) == KEY_COUNT &&
        (nearest == NULL || strcmp(nearest, schema[KEY_LIST].name) != 0))
        return wrong(keys, name, line, ONLY_LISTS);
    complain_unknown(keys->diagnostics, keys->file, line, section, name);
    return false;
}

static bool of_the_main_file(const struct config_keys *keys, struct span name, int line)
{
    return wrong(keys, name, line, ONLY_LISTS " (expected this in the main file, mlmilter.conf)");
}

bool config_keys_take(struct config_keys *keys, enum key_section section, struct span name,
                      int line, bool braces)
{
    enum key key = schema_find(section, name);
    if (section == SECTION_MAIN && key != KEY_COUNT && schema[key].kind < KIND_SECTION)
        keys->has_main_keys = true;
    if (key == KEY_COUNT)
        return unknown(keys, section, name, line);
    if (section == SECTION_MAIN && keys->kind == SCAN_LIST_FILE && key != KEY_LIST)
        return of_the_main_file(keys, name, line);
    if (schema[key].kind >= KIND_SECTION)
        return wrong(keys, name, line, "is a section (expected \"{\", no \"=\")");
    int *seen = section == SECTION_MAIN ? keys->seen_main : keys->seen_inner;
    if (seen[key] != 0)
        return repeated(keys, key, line, "is set", seen[key]);
    seen[key] = line;
    if (section == SECTION_LIST)
        keys->list_keys |= SCAN_KEY_BIT(key);
    if (braces && schema[key].kind != KIND_TEXTS)
        return wrong(keys, name, line, "has a list of values (expected one value, without braces)");
    return true;
}

bool config_keys_take_section(struct config_keys *keys, enum key key, struct span name, int line,
                              bool has_title)
{
    memset(keys->seen_inner, 0, sizeof keys->seen_inner);
    keys->has_main_keys |= key != KEY_COUNT && key != KEY_LIST && schema[key].kind >= KIND_SECTION;
    if (key == KEY_COUNT)
        return unknown(keys, SECTION_MAIN, name, line);
    if (keys->kind == SCAN_LIST_FILE && key != KEY_LIST)
        return of_the_main_file(keys, name, line);
    if (schema[key].kind == KIND_TITLED_SECTION)
        return has_title ||
               wrong(keys, name, line,
                     key == KEY_LIST    ? "has no list id (expected list \"ID\" { ... })"
                     : key == KEY_TOKEN ? "has no name (expected token \"NAME\" { ... })"
                                        : "has no name (expected delegate \"NAME\" { ... })");
    if (has_title)
        return wrong(keys, name, line,
                     "has a title (expected \"{\" behind the name of the section)");
    if (keys->seen_main[key] != 0)
        return repeated(keys, key, line, "stands here", keys->seen_main[key]);
    keys->seen_main[key] = line;
    return true;
}
