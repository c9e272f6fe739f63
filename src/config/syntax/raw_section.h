/*
 * raw_section - the values of one section as they were written
 *
 * What stands between libConfuse and everything that gives values a meaning.
 * Texts are borrowed: from libConfuse while a section is being read, from an
 * arena after raw_section_copy.
 */
#ifndef MLMILTER_CONFIG_SYNTAX_RAW_SECTION_H
#define MLMILTER_CONFIG_SYNTAX_RAW_SECTION_H

#include "config/report/diagnostics.h"
#include "config/syntax/schema.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

struct raw_item {
    struct span text; /* escapes resolved */
    int line;
};

struct raw_value {
    struct raw_item *items;
    size_t count;
    bool set;   /* written in this section, if only as {} */
    bool wrong; /* an error has been reported: take no further notice of it */
};

struct raw_section {
    const char *file;
    int line;          /* where the section begins */
    struct span title; /* empty: none */
    bool has_unknown;  /* a key that is not known was reported */
    struct raw_value values[KEY_COUNT];
};

/* The text that stands for "{}": then the value has no items, but a first one with its line. Nobody
 * can write it. */
#define EMPTY_LIST '\001'

/* Adds an item with a copy of the text. */
void raw_value_add(struct raw_value *value, struct arena *arena, const char *text, int line);

/* Checks what can be told from a value alone: no control characters, UTF-8, booleans, choices.
 * Marks what is wrong, after complaining. */
void raw_section_check(struct raw_section *raw, struct diagnostics *diagnostics);

/* Returns a deep copy (file aside, which is borrowed). */
struct raw_section raw_section_copy(const struct raw_section *raw, struct arena *arena);

/* The value that counts: of the section; else of `defaults` (may be NULL); NULL when neither has it
 * or what counts is wrong. */
const struct raw_value *raw_value_find(const struct raw_section *raw,
                                       const struct raw_section *defaults, enum key key);

/* What the value of a key with a built-in default means: that of the section, else of `defaults`,
 * else the built-in one. */
bool raw_bool(const struct raw_section *raw, const struct raw_section *defaults, enum key key);
int raw_choice(const struct raw_section *raw, const struct raw_section *defaults, enum key key);

#endif
