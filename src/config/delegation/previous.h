/*
 * previous - delegated files as they were when they were last right (RULINGS 73)
 *
 * The settings in force keep them for the next load.
 */
#ifndef MLMILTER_CONFIG_DELEGATION_PREVIOUS_H
#define MLMILTER_CONFIG_DELEGATION_PREVIOUS_H

#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* A list file that somebody else owns. */
struct delegated_file {
    const struct delegated_file *next;
    const char *path;
    struct span text;
};

/* Puts a copy in the arena before the first one. */
void delegated_file_keep(const struct delegated_file **first, struct arena *arena, const char *path,
                         struct span text);

struct previous_file {
    const struct delegated_file *file; /* borrowed */
    bool used;                         /* for the settings being built */
};

struct previous_files {
    struct previous_file *items; /* in byte order of the paths */
    size_t count;
};

/* first may be NULL. */
void previous_files_init(struct previous_files *files, const struct delegated_file *first);
void previous_files_free(struct previous_files *files);

/* NULL when there is none of that path. */
struct previous_file *previous_files_find(const struct previous_files *files, const char *path);

#endif
