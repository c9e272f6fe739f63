/*
 * delegated_files - finding and reading files in folders that others own
 *
 * No symbolic link in the folder is followed, nothing but a regular file with
 * one name is opened, and the work has an end whatever stands there.
 */
#ifndef MLMILTER_CONFIG_DELEGATION_DELEGATED_FILES_H
#define MLMILTER_CONFIG_DELEGATION_DELEGATED_FILES_H

#include "config/delegation/delegate.h"
#include "config/files/read_file.h"
#include "text/arena.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

#define DELEGATE_ENTRIES_MAX 100000 /* of one folder */

/* Would the pattern find this path? */
bool delegate_pattern_fits(const struct delegate_pattern *pattern, const char *path);

/* The first delegate who has a pattern that a file fits, with the links of all folders resolved; or
 * NULL. */
const struct delegate *delegates_match(const struct delegates *delegates, const char *path);

struct delegated_files {
    DIR *folder;        /* open for as long as its files are read */
    const char **paths; /* in byte order */
    size_t count;
    size_t capacity;
    const char *fault; /* why the folder cannot be looked into; NULL: it can, or it is missing */
    bool is_missing;
};

/* Opens the folder of a pattern and finds what fits; names go to the arena. */
void delegated_files_open(struct delegated_files *files, const struct delegate_pattern *pattern,
                          struct arena *arena);
void delegated_files_close(struct delegated_files *files);

/* Reads one of them. Returns true, or false with file->fault; file->error is ENOENT when the file
 * no longer exists. */
bool delegated_files_read(const struct delegated_files *files,
                          const struct delegate_pattern *pattern, const char *path,
                          struct file_text *file);

#endif
