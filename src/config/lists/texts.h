/*
 * texts - texts with variables, compiled
 *
 * Texts of `defaults` are compiled once and bound to each list that takes them.
 */
#ifndef MLMILTER_CONFIG_LISTS_TEXTS_H
#define MLMILTER_CONFIG_LISTS_TEXTS_H

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
    struct raw_item raw;     /* as written, for messages; borrowed */
    struct template text;    /* all of it; of an item of a List-* field the URI */
    struct template before;  /* of an item, the comment in front of the URI; .count 0: none */
    struct template comment; /* the one behind it; both with their parentheses */
    bool has_comment;
    bool is_no;     /* List-Post: NO */
    bool from_only; /* a command address with "from:" or "always:", which `text` is without */
    bool always;    /* with "always:" */
};

struct config_texts {
    const struct config_text *items;
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
    struct arena *arena;              /* for what is made of them */
    const struct token_names *tokens; /* those that archived_at may use */
    struct diagnostics *diagnostics;
};

/* Is this a key whose values may hold variables? */
bool config_text_key(enum key key);

/* Is this a key of a List-* field, whose values are items "(comment) URI (comment)"? */
bool config_item_key(enum key key);

/* Compiles the values of a key; complains about what is wrong. */
void config_texts_compile(const struct text_compiler *c, enum key key,
                          const struct raw_value *value, struct config_texts *out);

#endif
