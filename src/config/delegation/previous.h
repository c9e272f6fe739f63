/*
 * previous - the delegated files of the settings in force, by their paths
 */
#ifndef MLMILTER_CONFIG_DELEGATION_PREVIOUS_H
#define MLMILTER_CONFIG_DELEGATION_PREVIOUS_H

#include "config/settings.h"

#include <stdbool.h>
#include <stddef.h>

struct previous_file {
    const struct delegated_file *file; /* borrowed */
    bool used;                         /* for the settings being built */
};

struct previous_files {
    struct previous_file *items; /* in byte order of the paths */
    size_t count;
};

/* previous may be NULL. 0 or -1 (memory). */
int previous_files_init(struct previous_files *files, const struct settings *previous);
void previous_files_free(struct previous_files *files);

/* NULL when there is none of that path. */
struct previous_file *previous_files_find(struct previous_files *files, const char *path);

/* All whose paths begin with this text, up to *end. */
struct previous_file *previous_files_below(struct previous_files *files, const char *folder,
                                           struct previous_file **end);

#endif
