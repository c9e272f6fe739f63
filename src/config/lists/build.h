/*
 * build - from the values of `list` sections to lists
 *
 * Lists and what they point to live in the arena of the settings; all else is
 * given back with the builder.  Errors go to the diagnostics.  One thread.
 */
#ifndef MLMILTER_CONFIG_LISTS_BUILD_H
#define MLMILTER_CONFIG_LISTS_BUILD_H

#include "config/delegation/delegate.h"
#include "config/lists/texts.h"
#include "config/report/diagnostics.h"
#include "config/report/hint_groups.h"
#include "config/settings.h"
#include "config/syntax/raw_section.h"
#include "text/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct list_origin;

struct list_builder {
    struct settings *settings;       /* borrowed */
    struct diagnostics *diagnostics; /* borrowed */
    struct arena scratch;            /* for one list */
    struct arena kept;               /* for all: the defaults */
    struct raw_section defaults;
    struct config_texts default_texts[KEY_COUNT];
    struct list_origin *origins; /* where each list of the index stands */
    size_t origin_capacity;
    const struct nesting *default_nesting; /* of lists that take all of it from the defaults */
    bool default_nesting_wrong;
    struct hint_groups hints;
    bool told_never_kept; /* what nobody may keep, of the defaults */
    bool told_parents;    /* a hint about the parents of the defaults has been given */
    uint64_t refused;     /* keys of the defaults that a store is missing for */

    const struct delegate *delegate;     /* whose lists these are; NULL: the administrator's */
    const struct list_builder *in_force; /* of a trial: its lists stand in the way too */
    size_t origins_told; /* with so many errors, no more places of other lists are looked up */
    size_t finished;     /* lists of the index that list_builder_finish has seen */
};

void list_builder_init(struct list_builder *b, struct settings *settings,
                       struct diagnostics *diagnostics);
void list_builder_free(struct list_builder *b);

/* Takes the section `defaults`, which has been checked; before the first list. raw->file is
 * borrowed, all else copied. 0 or -1 (memory). */
int list_builder_defaults(struct list_builder *b, const struct raw_section *raw);

/* Adds the list of a section, which has been checked. raw->file is borrowed until the builder is
 * freed, all else only for this call. 0 or -1 (memory). */
int list_builder_add(struct list_builder *b, const struct raw_section *raw);

/* Checks what needs all lists, of those that are new since the last time. */
void list_builder_finish(struct list_builder *b);

/* Gives the hints that lists may share, to the diagnostics. */
void list_builder_hints(struct list_builder *b);

/* Gives the hints that need all lists; before that, list_builder_finish. is_whole: no list is
 * missing that may be there. 0 or -1 (memory). */
int list_builder_parent_hints(struct list_builder *b, bool is_whole);

/* Makes a builder that enters lists into settings of its own, but complains about all that is in
 * the way in those of in_force too. It borrows in_force; list_builder_free gives it back. */
void list_builder_trial(struct list_builder *trial, const struct list_builder *in_force,
                        struct settings *settings, struct diagnostics *diagnostics);

/* Leaves out those parents of list number `at`, unless it has them from the defaults, that are
 * lists of ours outside of the delegate's domains (RULINGS 14). *dropped is the first of them, or
 * empty. 0 or -1 (memory). */
int list_builder_drop_parents(struct list_builder *b, const struct delegate *delegate, size_t at,
                              struct span *dropped);

/* The line in which list number `at` begins. */
int list_builder_line(const struct list_builder *b, size_t at);

#endif
