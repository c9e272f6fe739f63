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
#include "text/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* The values that `manager = "..."` sets: each list manager has addresses of its own around a
 * list's address. They count after `defaults` (RULINGS 90). In the order of the words in
 * config/read/schema.c. */
#define MANAGER_COUNT 6
extern const struct section managers[MANAGER_COUNT];

/* Sets FROM_MANAGER of the sources of a list. Returns the number of the manager, or MANAGER_COUNT
 * if none counts: a list that the MTA expands takes none from the defaults. */
int managers_find(struct sources *from);

/* The domains that the lists of a delegate must be in (LI-03, RULINGS 59). */
struct domain {
    struct span name; /* A-labels */
    bool is_below;    /* "*.": the domains below the name, but not the name itself */
};

struct domains {
    const char *owner; /* the name of the delegate */
    const struct domain *items;
    size_t count;
    const char *outside; /* the fault of a value that is in none of them */
};

/* True if one of the domains covers this one; letter case does not count. scratch is for a domain
 * that is not ASCII. */
bool domains_cover(const struct domains *domains, struct span domain, struct arena *scratch);

/* Values of the main file that lists need; borrowed. */
struct list_context {
    struct arena *arena; /* of the settings */
    const struct token_names *token_names;
    const struct token *tokens;
    bool lacks_store;       /* its driver is not built in */
    bool has_recipient_key; /* token_key_file is set */
};

/* Parents that a list with bounds names itself. */
struct bound_parents {
    struct list *list;
    struct nesting *nesting; /* its own */
    const int *lines;        /* of its parents */
    const struct domains *bounds;
};

struct list_builder {
    struct list_context given;
    struct list_index *index;                         /* borrowed: gets the lists */
    struct diagnostics *diagnostics;                  /* borrowed: for errors */
    struct diagnostics *hints;                        /* borrowed */
    const struct domains *bounds;                     /* that these lists must be in, or NULL */
    struct arena scratch;                             /* for one list */
    struct strbuf text;                               /* a text of one list that is checked */
    struct section defaults, managers[MANAGER_COUNT]; /* compiled */
    bool defaults_are_wrong;
    struct list shared[MANAGER_COUNT + 1]; /* what `defaults` and a manager (or none) give a list */
    const struct nesting *shared_nesting;  /* of lists that take it from the defaults */
    struct list_place *places;             /* of the lists in the index */
    size_t place_capacity;
    struct bound_parents *parents;
    size_t parents_count, parents_capacity;
};

/* Initialises a builder with the section `defaults`, or NULL. Its entries live as long. */
void list_builder_init(struct list_builder *b, const struct list_context *given,
                       struct list_index *index, const struct section *defaults,
                       struct diagnostics *diagnostics);
void list_builder_free(struct list_builder *b);

/* Adds the list of a section. The name of its file is borrowed until the builder is freed. */
void list_builder_add(struct list_builder *b, const struct section *section);

/* Removes, and reports, the parents that lists with bounds name themselves and that are lists of
 * ours outside of the bounds (RULINGS 14). */
void list_builder_drop_parents(struct list_builder *b);

/* The lists so far. */
struct list_builder_mark {
    struct list_index_mark index;
    struct arena arena;
    struct diagnostics hints;
    const struct nesting *shared_nesting;
    size_t parents_count;
};

/* Marks the lists so far; removes all that were added since the last mark, and hints about them. */
void list_builder_mark(struct list_builder *b, struct list_builder_mark *mark);
void list_builder_rewind(struct list_builder *b, const struct list_builder_mark *mark);

#endif
