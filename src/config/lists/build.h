/*
 * build - from `list` sections to lists
 *
 * Lists and their texts live in the arena of the settings, all else in the builder.  One thread.
 */
#ifndef MLMILTER_CONFIG_LISTS_BUILD_H
#define MLMILTER_CONFIG_LISTS_BUILD_H

#include "config/lists/list.h"
#include "config/lists/list_index.h"
#include "config/read/section.h"
#include "spec/token.h"

/* The values that `manager = "..."` sets, after `defaults` (RULINGS 90). A manager whose posts have
 * no List-Id sets `select`. */
extern const struct section managers[MANAGER_COUNT];

/* True if one of the domains covers this one; letter case does not count. scratch is for a domain
 * that is not ASCII. */
bool domains_cover(const struct domains *domains, struct span domain, struct arena *scratch);

struct list_builder {
    /* For the caller to set; borrowed. */
    struct arena *arena;      /* of the settings */
    struct list_index *index; /* gets the lists */
    struct diagnostics *diagnostics, *hints;
    const struct domains *bounds; /* that these lists must be in, or NULL */
    const struct token_names *token_names;
    const struct token *tokens;
    bool lacks_store;       /* its driver is not built in */
    bool has_recipient_key; /* token_key_file is set */

    struct arena scratch;                             /* for one list */
    struct strbuf text;                               /* a text of one list that is checked */
    struct section defaults, managers[MANAGER_COUNT]; /* compiled */
    bool defaults_are_wrong;
    const struct list_texts *shared[MANAGER_COUNT + 1]; /* of `defaults` and a manager, or none */
    struct nesting *shared_nesting; /* of lists that take it from the defaults */
};

/* Initialises the rest of a builder with the section `defaults`, or NULL. Its entries live as long.
 */
void list_builder_init(struct list_builder *b, const struct section *defaults);
void list_builder_free(struct list_builder *b);

/* Adds the list of a section, and borrows the name of its file. Reports errors and hints. */
void list_builder_add(struct list_builder *b, const struct section *section);

/* Removes, and reports, the parents that delegates' lists name themselves and that are lists of
 * ours outside of the delegate's domains (RULINGS 14). */
void list_builder_drop_parents(struct list_builder *b);

/* Reports the hints about lists that one mailbox may lead to: a delegate's and somebody else's, or
 * two of the administrator's, one by its bare name (RULINGS 111). */
void list_index_hint(const struct list_index *index, struct span delimiters,
                     struct diagnostics *diagnostics);

/* Returns the rules of `trusted` or `parent_sources`, in the arena. */
struct trust_rules trust_rules_of(const struct value *value, struct arena *arena);

/* Returns a copy of a section in the arena, whose texts are compiled; those of posts live in
 * `kept`. Reports errors. */
struct section section_compile(const struct section *section, const struct token_names *names,
                               struct arena *kept, struct arena *arena,
                               struct diagnostics *diagnostics);

#endif
