/* section - see section.h */
#include "config/read/section.h"

#include "config/read/faults.h"
#include "text/number.h"

#define SECTION_NAME_MAX 64 /* bytes of the name of a token or a delegate */

static struct value value_in(const struct section *section, enum key key)
{
    struct value value = {.entries = NULL};
    if (section == NULL || (section->lacks & KEY_BIT(key)) != 0)
        return value;
    for (size_t i = 0; i < section->count; i++) {
        const struct entry *entry = &section->entries[i];
        if (entry->key != key && value.entries != NULL)
            break;
        if (entry->key != key)
            continue;
        value.entries = value.entries == NULL ? entry : value.entries;
        value.count += entry->text.p != NULL ? 1 : 0;
        value.is_wrong = value.is_wrong || entry->is_wrong;
    }
    return value;
}

struct value value_of(const struct sources *from, enum key key)
{
    for (int source = 0; source < BUILT_IN; source++) {
        struct value value = value_in(from->sections[source], key);
        value.source = (enum source)source;
        if (value.entries != NULL)
            return value;
    }
    return (struct value){schema[key].built_in, schema[key].built_in_count, false, BUILT_IN};
}

struct entry value_entry(const struct sources *from, enum key key)
{
    struct value value = value_of(from, key);
    const struct entry *entry = value.is_wrong ? schema[key].built_in : value.entries;
    return entry != NULL && entry->text.p != NULL ? *entry : (struct entry){.text = {"", 0}};
}

bool value_bool(const struct sources *from, enum key key)
{
    return schema_bool(value_entry(from, key).text) == 1;
}

int value_choice(const struct sources *from, enum key key)
{
    int choice = schema_choice(key, value_entry(from, key).text);
    return choice > 0 ? choice : 0;
}

bool section_has(const struct section *section, const struct entry *entry)
{
    return section != NULL && entry >= section->entries &&
           entry < section->entries + section->count;
}

struct place key_place(const struct section *section, enum key key)
{
    struct value value = value_in(section, key);
    return place_of(section->file, value.entries != NULL ? value.entries->line : section->line,
                    schema[key].name);
}

struct place entry_place(const struct sources *from, const struct entry *entry)
{
    const struct section *own = from->sections[FROM_SECTION];
    const struct section *defaults = from->sections[FROM_DEFAULTS];
    struct place place = place_of(own->file, entry->line, schema[entry->key].name);
    if (section_has(defaults, entry)) {
        place.file = defaults->file;
        place.list = own->title;
        place.taken_from = "the defaults";
    } else if (section_has(from->sections[FROM_MANAGER], entry)) { /* it has no line of its own */
        place.line = key_place(own, KEY_MANAGER).line;
        place.list = own->title;
        place.taken_from = "its manager";
    }
    return place;
}

struct value value_needed(struct diagnostics *d, const struct sources *from, enum key key,
                          const char *expected)
{
    const struct section *section = from->sections[FROM_SECTION];
    struct value value = value_of(from, key);
    if (value.is_wrong)
        value.count = 0;
    else if (value.count == 0)
        say(d, SEVERITY_ERROR, place_of(section->file, section->line, schema[key].name), NO_TEXT,
            ERROR_MISSING_KEY, WITH(schema[section->kind].name, expected));
    return value;
}

void say_entry(struct diagnostics *d, const struct sources *from, const struct entry *entry,
               enum remark remark, const char *detail)
{
    say(d, SEVERITY_ERROR, entry_place(from, entry), entry->text, remark, WITH(detail));
}

void values_hint(struct diagnostics *d, const struct sources *from, enum key_section section)
{
    for (enum key key = 0; key < KEY_COUNT; key++) {
        const struct schema_key *row = &schema[key];
        if (row->section != section || row->hint == NULL)
            continue;
        struct value value = value_of(from, key);
        for (size_t i = 0; i < value.count && value.source != FROM_MANAGER && !value.is_wrong;
             i++) {
            const struct entry *entry = &value.entries[i];
            enum remark hint = row->hint(entry->text);
            if (hint != REMARK_NONE)
                say(d, SEVERITY_HINT, entry_place(from, entry), entry->text, hint, NULL);
        }
    }
}

bool title_check(const struct section *sections, const struct section *section, enum remark fault,
                 struct diagnostics *d)
{
    struct place place = key_place(section, section->kind);
    struct shown line;
    int first = 0;
    if (fault == REMARK_NONE && section->title.n > SECTION_NAME_MAX)
        fault = ERROR_LONG_NAME;
    for (; fault == REMARK_NONE && first == 0 && sections < section; sections++)
        if (sections->kind == section->kind && span_eq_nocase(sections->title, section->title))
            first = sections->line;
    if (fault != REMARK_NONE)
        say(d, SEVERITY_ERROR, place, section->title, fault, WITH(NUMBER_TEXT(SECTION_NAME_MAX)));
    else if (first != 0)
        say(d, SEVERITY_ERROR, place, section->title, ERROR_SECTION_TWICE,
            WITH(shown_number((size_t)first, &line)));
    return fault == REMARK_NONE && first == 0;
}

static void report_choice(struct place place, const struct entry *entry, struct diagnostics *d)
{
    struct strbuf expected = STRBUF_INIT;
    const char *const *choices = schema[entry->key].choices;
    const char *near = schema_nearest_choice(entry->key, entry->text);
    for (int i = 0; choices[i] != NULL; i++)
        strbuf_addf(&expected, "%s\"%s\"",
                    i == 0                   ? ""
                    : choices[i + 1] == NULL ? " or "
                                             : ", ",
                    choices[i]);
    say(d, SEVERITY_ERROR, place, entry->text, near != NULL ? ERROR_MISSPELT_CHOICE : ERROR_CHOICE,
        near != NULL ? WITH(near, strbuf_str(&expected)) : WITH(strbuf_str(&expected)));
    strbuf_free(&expected);
}

void entry_check(const char *file, struct entry *entry, struct diagnostics *d)
{
    enum key_kind kind = schema[entry->key].kind;
    struct place place = place_of(file, entry->line, schema[entry->key].name);
    enum remark fault = characters_fault(entry->text, false);
    bool is_choice = kind != KIND_CHOICE || schema_choice(entry->key, entry->text) >= 0;
    if (fault == REMARK_NONE && kind == KIND_BOOL && schema_bool(entry->text) < 0)
        fault = ERROR_BOOLEAN;
    if (fault == REMARK_NONE && schema[entry->key].check != NULL)
        fault = schema[entry->key].check(entry->text);
    entry->is_wrong = fault != REMARK_NONE || !is_choice;
    if (fault != REMARK_NONE) /* `store` may contain a password */
        say(d, SEVERITY_ERROR, place, entry->key == KEY_STORE ? NO_TEXT : entry->text, fault, NULL);
    else if (!is_choice)
        report_choice(place, entry, d);
}
