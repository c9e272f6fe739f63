/*
 * raw_section - the values of one section as they were written
 *
 * Texts live in the arena of the file that was parsed (config/syntax/parse.h).
 */
#ifndef MLMILTER_CONFIG_SYNTAX_RAW_SECTION_H
#define MLMILTER_CONFIG_SYNTAX_RAW_SECTION_H

#include "config/report/diagnostics.h"
#include "config/syntax/schema.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* A value; escapes are resolved. */
struct raw_item {
    struct span text;
    int line;
    enum key key; /* of this key; set in a struct section only */
};

/* A section as a list of values, those of a key one after the other. */
struct section {
    enum key kind; /* KEY_LIST ...; KEY_COUNT: the keys outside of all sections */
    const char *file;
    int line;                     /* where the section begins */
    struct span title;            /* empty: none */
    const struct raw_item *items; /* KEY = {} has one without text (.p is NULL) */
    size_t count;
};

struct raw_value {
    const struct raw_item *items; /* of {} one, for its line */
    size_t count;
    bool set;   /* written in this section, if only as {} */
    bool wrong; /* an error has been reported; the value does not count */
};

/* A section as a table of its keys. */
struct raw_section {
    const char *file;
    int line;
    struct span title;
    struct raw_value values[KEY_COUNT];
};

/* Fills a table with the values of a section, and reports those that are wrong on their own: no
 * UTF-8, a control character, not one of the choices, no boolean. */
void raw_section_read(struct raw_section *raw, const struct section *section,
                      struct diagnostics *diagnostics);

/* Returns the value of a key of the section, or else of the defaults (NULL: none). Returns NULL if
 * neither has one, or it is wrong. */
const struct raw_value *raw_value_find(const struct raw_section *raw,
                                       const struct raw_section *defaults, enum key key);

/* Return the meaning of a value of a key with a built-in default. */
bool raw_bool(const struct raw_section *raw, const struct raw_section *defaults, enum key key);
int raw_choice(const struct raw_section *raw, const struct raw_section *defaults, enum key key);

#endif
