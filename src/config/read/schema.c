/* schema - see schema.h */
#include "config/read/schema.h"

#include "config/read/faults.h"
#include "spec/token.h"
#include "spec/variables.h"
#include "text/edit_distance.h"

#include <string.h>

#define RUN(file) MLMILTER_RUNSTATEDIR "/mlmilter/" file
#define LIB(file) MLMILTER_LOCALSTATEDIR "/lib/mlmilter/" file

static const struct entry trusted[] = {ENTRY(KEY_TRUSTED, "127.0.0.0/8"), ENTRY(KEY_TRUSTED, "::1"),
                                       ENTRY(KEY_TRUSTED, "local")};

/* clang-format off */
#define VARS_ADDRESS (VAR_BIT(VAR_ADDRESS) | VAR_BIT(VAR_ADDRESS_LOCAL) | VAR_BIT(VAR_ADDRESS_DOMAIN))
#define VARS_URL     (VARS_LIST | VAR_BIT(VAR_ARCHIVE) | VARS_MESSAGE | VARS_TOKENS)

#define ONE(text_)       .built_in = (const struct entry[]){{.text = {text_, sizeof text_ - 1}}}, .built_in_count = 1
#define SOME(entries)    .built_in = entries, .built_in_count = sizeof entries / sizeof entries[0]
#define WORDS(choice)    (const char *const[]){choice(CHOICE_WORD) NULL}
#define OF(choice, text_) .choices = WORDS(choice), ONE(text_)

#define SCHEMA_ROW(key, name_, in, ...) [key] = {.name = #name_, .section = SECTION_##in, .kind = __VA_ARGS__},
const struct schema_key schema[KEY_COUNT] = {SCHEMA(SCHEMA_ROW)};
/* clang-format on */

enum key schema_find(enum key_section section, struct span name)
{
    for (int key = 0; key < KEY_COUNT; key++) {
        const struct schema_key *row = &schema[key];
        /* Most rows differ in the first byte. */
        if (row->section == section && name.n > 0 && name.p[0] == row->name[0] &&
            span_eq(name, span_cstr(row->name)))
            return (enum key)key;
    }
    return KEY_COUNT;
}

bool schema_is_section(enum key key)
{
    return key != KEY_COUNT && schema[key].kind >= KIND_SECTION;
}

enum key_section schema_keys_in(enum key section)
{
    return section == KEY_TOKEN         ? SECTION_TOKEN
           : section == KEY_DELEGATE    ? SECTION_DELEGATE
           : schema_is_section(section) ? SECTION_LIST
                                        : SECTION_MAIN;
}

/* True if the name is one of the words, with a blank between two. */
static bool is_among(struct span name, struct span words)
{
    size_t n = span_find(words, ' ');
    return n > 0 && (span_eq_nocase(name, span_sub(words, 0, n)) ||
                     is_among(name, span_sub(words, n + 1, words.n)));
}

const char *schema_nearest(enum key_section section, struct span name)
{
    for (int key = 0; key < KEY_COUNT; key++)
        if (schema[key].section == section && is_among(name, span_cstr(schema[key].also)))
            return schema[key].name;
    struct edit_nearest nearest = edit_nearest_to(name);
    for (int key = 0; key < KEY_COUNT; key++)
        if (schema[key].section == section)
            edit_nearest_try(&nearest, span_cstr(schema[key].name));
    return nearest.nearest.p;
}

int schema_choice(enum key key, struct span text)
{
    const char *const *choices = schema[key].choices;
    for (int i = 0; choices[i] != NULL; i++)
        if (span_eq_nocase(text, span_cstr(choices[i])))
            return i;
    return -1;
}

const char *schema_nearest_choice(enum key key, struct span text)
{
    struct edit_nearest nearest = edit_nearest_to(text);
    for (const char *const *choice = schema[key].choices; *choice != NULL; choice++)
        edit_nearest_try(&nearest, span_cstr(*choice));
    return nearest.nearest.p;
}

int schema_bool(struct span text)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    for (int i = 0; i < 6; i++)
        if (span_eq_nocase(text, span_cstr(words[i])))
            return i % 2;
    return -1;
}
