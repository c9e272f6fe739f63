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

/* More errors or hints of one kind are not told about a file that has bounds. */
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
    const struct domains *bounds; /* NULL: a list of the administrator's */
};

struct list_draft;

/* Functions that see the lists; either may be NULL. */
struct list_observer {
    void *context;
    /* A list that is right (config/lists/draft.h), before its texts are stencils. In a delegated
     * file others may be wrong: then it comes to nothing. */
    void (*draft)(void *context, struct list_draft *draft);
    /* Each list of the whole, in its order, and where it stands; file only for this call. */
    void (*list)(void *context, const struct list *list, const char *file, int line);
};

/* What the lists so far have in common, or is told once for all of them. */
struct list_shared {
    struct recent_stencils stencils[LIST_STENCILS];
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
    const struct list_index *others;      /* in a trial: lists in force, which are in the way too */
    const struct domains *bounds;         /* which these lists must keep to; NULL: none */
    struct diagnostics *diagnostics;      /* borrowed */
    struct hint_groups *hints;            /* borrowed */
    const struct list_observer *observer; /* borrowed; NULL: nobody */
    struct list_shared shared;
    struct arena scratch; /* for one list */
    struct arena kept;    /* for all: the defaults */
    struct raw_section defaults;
    struct config_texts default_texts[KEY_COUNT];
    const struct preset *presets[MANAGER_COUNT]; /* NULL: no list has asked for it yet */
    struct list_origin *origins;                 /* of `others`, then of the index */
    size_t origin_count;
    size_t origin_capacity;
    size_t finished; /* lists of the index that list_builder_finish has seen */
};

void list_builder_init(struct list_builder *b, struct list_index *index,
                       struct diagnostics *diagnostics, struct hint_groups *hints);
void list_builder_free(struct list_builder *b);

/* Takes the section `defaults`, which has been checked; before the first list, and with `given`
 * set. raw->file is borrowed, all else copied. */
void list_builder_defaults(struct list_builder *b, const struct raw_section *raw);

/* Adds the list of a section, which has been checked. raw->file is borrowed until the builder is
 * freed, all else only for this call. */
void list_builder_add(struct list_builder *b, const struct raw_section *raw);

/* Shows the lists to the observer. */
void list_builder_show(const struct list_builder *b);

/* Checks what needs all lists, of those that are new since the last time. */
void list_builder_finish(struct list_builder *b);

#endif
