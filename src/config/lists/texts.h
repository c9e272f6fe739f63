/*
 * texts - reads texts with variables, and compiles them
 *
 * Texts of `defaults` are compiled once, for all lists that take them.
 */
#ifndef MLMILTER_CONFIG_LISTS_TEXTS_H
#define MLMILTER_CONFIG_LISTS_TEXTS_H

#include "config/lists/list_texts.h"
#include "config/report/diagnostics.h"
#include "config/syntax/raw_section.h"
#include "spec/uri_template.h"
#include "text/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct config_text {
    enum key key;
    const char *file;
    bool from_defaults;
    struct raw_item raw;        /* as written, for messages; borrowed */
    const struct list_text *of; /* compiled; of a command address without "from:" */
    bool from_only;             /* a command address with "from:" or "always:" */
    bool always;                /* with "always:" */
};

struct config_texts {
    const struct config_text *items;
    struct list_text_array compiled; /* of the items */
    size_t count;
    const char *file;
    bool set;   /* written, if only as {} */
    bool wrong; /* an error has been reported: these are not all */
    bool from_defaults;
};

/* What the texts of a section need to be compiled; all of it borrowed. */
struct text_compiler {
    const char *file;
    bool from_defaults;
    struct arena *arena;              /* for the load */
    struct arena *kept;               /* for compiled texts that posts need */
    const struct token_names *tokens; /* those that archived_at may use */
    struct diagnostics *diagnostics;
};

/* True if the values of the key may have variables. */
bool config_text_key(enum key key);

/* True if the values of the key are items of a List-* field: "(comment) URI (comment)". */
bool config_item_key(enum key key);

/* Compiles the values of a key, and reports errors. */
void config_texts_compile(const struct text_compiler *c, enum key key,
                          const struct raw_value *value, struct config_texts *out);

#endif
