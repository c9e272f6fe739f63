/*
 * build - from the values of `list` sections to lists
 *
 * Lists and what they point to live in the arena of the settings; all else is
 * given back with the builder.  Errors go to the diagnostics.  One thread.
 */
#ifndef MLMILTER_CONFIG_LISTS_BUILD_H
#define MLMILTER_CONFIG_LISTS_BUILD_H

#include "config/lists/domains.h"
#include "config/lists/list.h"
#include "config/lists/list_index.h"
#include "config/lists/managers.h"
#include "config/lists/texts.h"
#include "config/report/diagnostics.h"
#include "config/report/hint_groups.h"
#include "config/syntax/raw_section.h"
#include "spec/token.h"
#include "text/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More hints of one kind are not told about a file that has bounds. */
#define BOUND_FILE_TOLD 5

/* What lists need to know of the main file; all of it borrowed. */
struct list_surroundings {
    struct arena *arena;                   /* of the settings */
    const struct token_names *token_names; /* of named tokens */
    const struct token *tokens;
    const char *store_missing; /* NULL: the store's driver is built in; else a sentence */
    bool has_recipient_key;    /* there is a key for {recipient_token}, read or not */
    struct span delimiter;     /* recipient_delimiter of the main file */
};

/* Where a list stands. */
struct list_origin {
    const char *file;
    int line;
    int parents_line; /* of its own `parents`; 0: it has none, or those of the defaults */
    int address_line, aliases_line, commands_line; /* of these keys, or the list's line */
    const struct domains *bounds;                  /* NULL: a list of the administrator's */
};

struct list_draft;
struct settings;

/* Functions that see a load; each may be NULL. */
struct list_observer {
    void *context;
    /* The keys of the main file as written and as they count, for this call only. */
    void (*main)(void *context, const struct raw_section *raw, const struct settings *settings);
    /* A list without errors (config/lists/draft.h). In a delegated file other lists may be wrong:
     * then the list is dropped. */
    void (*draft)(void *context, struct list_draft *draft);
    /* Each list of the whole, in its order; the origin only for this call. */
    void (*list)(void *context, const struct list *list, const struct list_origin *origin);
};

/* What the lists so far have in common, or is told once for all of them. */
struct list_shared {
    const struct preset *presets[MANAGER_COUNT]; /* NULL: no list has asked for it yet */
    /* of lists without texts of their own, by their manager, then without one; NULL: none yet */
    const struct list_texts *texts[MANAGER_COUNT + 1];
    const struct nesting *nesting; /* of lists that take all of it from the defaults */
    bool nesting_wrong;
    struct list policies; /* of lists that take all of them from the defaults, as draft_policies */
    bool has_policies;    /* sets them */
    uint64_t unhinted;    /* keys of the defaults whose texts give no hint */
    bool told_never_kept; /* what nobody may keep, of the defaults */
    uint64_t refused;     /* keys of the defaults that a store is missing for */
};

struct list_builder {
    struct list_surroundings given;
    struct list_index *index;             /* borrowed: what lists are entered into */
    const struct domains *bounds;         /* which these lists must keep to; NULL: none */
    struct diagnostics *diagnostics;      /* borrowed */
    struct hint_groups *hints;            /* borrowed */
    const struct list_observer *observer; /* borrowed; NULL: nobody */
    struct list_shared shared;
    struct arena scratch; /* for one list */
    struct arena kept;    /* for all: the defaults */
    struct raw_section defaults;
    struct config_texts default_texts[KEY_COUNT];
    struct list_origin *origins; /* of the lists in the index */
    size_t origin_count;
    size_t origin_capacity;
    size_t finished; /* lists of the index that list_builder_finish has seen */
};

void list_builder_init(struct list_builder *b, struct list_index *index,
                       struct diagnostics *diagnostics, struct hint_groups *hints);
void list_builder_free(struct list_builder *b);

/* Takes the section `defaults`, which has been checked; before the first list, and with `given`
 * set. Its values are borrowed until the builder is freed. */
void list_builder_defaults(struct list_builder *b, const struct raw_section *raw);

/* Adds the list of a section, which has been checked. raw->file is borrowed until the builder is
 * freed, all else only for this call. */
void list_builder_add(struct list_builder *b, const struct raw_section *raw);

/* Returns the place of a list in the index. Its file is "?" once there are errors enough: the
 * search looks at all lists. */
struct list_origin list_builder_origin(const struct list_builder *b, const struct list *list);

/* Shows the lists to the observer. */
void list_builder_show(const struct list_builder *b);

/* Checks what needs all lists, of those that are new since the last time. */
void list_builder_finish(struct list_builder *b);

/* The lists so far, and what they take. */
struct list_builder_mark {
    struct list_index_mark index;
    struct hint_groups hints;
    struct list_shared shared;
    struct arena arena;
    size_t finished;
};

/* Marks the lists so far; removes all that were added since the last mark. */
void list_builder_mark(struct list_builder *b, struct list_builder_mark *mark);
void list_builder_rewind(struct list_builder *b, const struct list_builder_mark *mark);

#endif
