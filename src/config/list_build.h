/*
 * list_build - from the values of `list` sections to lists
 *
 * Lists and what they point to live in the arena of the settings; all else is
 * given back with the builder.  Errors go to the diagnostics.  One thread.
 */
#ifndef MLMILTER_CONFIG_LIST_BUILD_H
#define MLMILTER_CONFIG_LIST_BUILD_H

#include "config/config_text.h"
#include "config/diagnostics.h"
#include "config/raw_section.h"
#include "config/settings.h"
#include "text/arena.h"

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
    uint64_t hinted; /* keys of the defaults that a hint has been given for, a bit each */
};

void list_builder_init(struct list_builder *b, struct settings *settings,
                       struct diagnostics *diagnostics);
void list_builder_free(struct list_builder *b);

/* Takes the section `defaults`, which has been checked; before the first list. file is borrowed,
 * the rest copied. 0 or -1 (memory). */
int list_builder_defaults(struct list_builder *b, const struct raw_section *raw);

/* Adds the list of a section, which has been checked. raw->file is borrowed until the builder is
 * freed, all else only for this call. 0 or -1 (memory). */
int list_builder_add(struct list_builder *b, const struct raw_section *raw);

/* Checks what needs all lists. 0 or -1 (memory). */
int list_builder_finish(struct list_builder *b);

#endif
