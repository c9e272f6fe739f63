/*
 * build - from `list` sections to lists
 *
 * Lists and their texts live in the arena of the settings, all else in the builder.  One thread.
 * The second half is for the files of this folder: each sets and checks some keys of a list.
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
    bool is_virtual; /* none of them is local to this host (RULINGS 111) */
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
    const struct list_texts *shared[MANAGER_COUNT + 1]; /* of `defaults` and a manager, or none */
    struct nesting *shared_nesting; /* of lists that take it from the defaults */
};

/* Initialises a builder with the section `defaults`, or NULL. Its entries live as long. */
void list_builder_init(struct list_builder *b, const struct list_context *given,
                       struct list_index *index, const struct section *defaults,
                       struct diagnostics *diagnostics);
void list_builder_free(struct list_builder *b);

/* Adds the list of a section. The list borrows the name of its file. */
void list_builder_add(struct list_builder *b, const struct section *section);

/* Removes, and reports, the parents that lists with bounds name themselves and that are lists of
 * ours outside of the bounds (RULINGS 14). */
void list_builder_drop_parents(struct list_builder *b);

/* Reports the hints about lists that one mailbox may lead to: a delegate's and somebody else's, or
 * two of the administrator's, one by its bare name (RULINGS 111). */
void list_index_hint(const struct list_index *index, struct span delimiters,
                     struct diagnostics *diagnostics);

/* The lists so far. */
struct list_builder_mark {
    size_t lists;
    struct arena arena;
    struct diagnostics hints;
    struct nesting *shared_nesting;
};

/* Marks the lists so far; removes all that were added since the last mark, and hints about them. */
void list_builder_mark(struct list_builder *b, struct list_builder_mark *mark);
void list_builder_rewind(struct list_builder *b, const struct list_builder_mark *mark);

/* A list that is being built. */

/* The word before a command address. */
enum command_kind { COMMAND_PLAIN, COMMAND_FROM, COMMAND_ALWAYS };

/* Returns that word, which is removed from *text (RULINGS 12). */
enum command_kind command_kind_of(struct span *text);

/* Returns a copy of a section in the arena, whose texts are compiled. Reports errors. */
struct section section_compile(const struct section *section, const struct list_context *given,
                               struct arena *arena, struct diagnostics *diagnostics);

struct new_list {
    struct list_builder *b;
    struct list *list;
    struct section own;
    struct sources from;
    struct variable_values values; /* of the list, as far as they are known */
    bool is_wrong;                 /* an error has been reported */
    bool address_is_wrong;         /* and it is about the address */
};

/* Reports an error in an entry of one of the sources, with its text and the detail for "%s"; one in
 * `defaults` is reported once. Returns false. */
bool report_wrong(struct new_list *n, const struct entry *entry, enum remark remark,
                  const char *detail);

/* Reports an error in the line of a key in the list's own section, or else in its first. */
void report_list(struct new_list *n, enum key key, struct span value, enum remark remark,
                 const char *const *with);

/* Reports a hint about an entry, with its text. */
void hint_entry(struct new_list *n, enum remark hint, const struct entry *entry);

/* True if the list has all values of VARS_LIST that an entry needs; else reports a missing one. */
bool has_values(struct new_list *n, const struct entry *entry, uint64_t needs);

/* True if the domain is within the bounds of the list, or it has none. */
bool in_bounds(const struct new_list *n, struct span domain);

/* Sets the address, and the variables that come from it. */
void build_address(struct new_list *n);

/* Adds the list to the index by its addresses, senders and command addresses. */
void build_ways(struct new_list *n);

/* Sets the texts of List-* fields and of Archived-At. */
void build_fields(struct new_list *n);

/* Returns the texts of List-* fields and of Archived-At from the sources of the list. */
const struct list_texts *make_list_texts(const struct new_list *n);

void build_nesting(struct new_list *n);

/* Sets all that is a choice or a boolean. */
void build_policies(struct new_list *n);

/* Sets `keep`, and what the list wants of the store; checks that `select` has its addresses. */
void build_keep(struct new_list *n);
void build_store(struct new_list *n);
void check_select(struct new_list *n);

/* Reports the hints about a list without errors. */
void report_hints(struct new_list *n);

#endif
