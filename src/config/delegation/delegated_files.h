/*
 * delegated_files - finding and reading files in folders that others own
 *
 * What stands before the first component with a wildcard is the administrator's
 * word, and so are links in it.  Below it no symbolic link is followed, nothing
 * but a regular file with one name is opened, and the work has an end whatever
 * stands there.
 */
#ifndef MLMILTER_CONFIG_DELEGATION_DELEGATED_FILES_H
#define MLMILTER_CONFIG_DELEGATION_DELEGATED_FILES_H

#include "config/delegation/delegate.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* 10,000 lists that write out all they have are about 6 MB; those that have the defaults, 0.5. */
#define DELEGATE_FILE_MAX    ((size_t)1024 * 1024)
#define DELEGATE_ENTRIES_MAX 100000 /* of the folders that one pattern leads to */

/* A pattern of the key `files` as seen from here. */
struct delegate_pattern {
    const char *whole;  /* for delegate_pattern_fits */
    const char *folder; /* as it is opened, with a slash behind it; empty: the current one */
    const char *below;  /* the components that are left; the last one is of files */
};

/* Makes one of a pattern that stands in file `from`. It lives in the arena. 0 or -1 (memory). */
int delegate_pattern_make(const char *from, struct span text, struct arena *arena,
                          struct delegate_pattern *out);

/* The same of its parts: the folder, with a slash behind it, and the components below. */
int delegate_pattern_join(struct span folder, struct span below, struct arena *arena,
                          struct delegate_pattern *out);

/* Would the pattern find this path? */
bool delegate_pattern_fits(const struct delegate_pattern *pattern, const char *path);

/* The first delegate who has a pattern that a file fits, or NULL. What it needs is taken from the
 * arena. 0 or -1 (memory). */
int delegates_match(const struct delegates *delegates, const char *path, struct arena *arena,
                    const struct delegate **out);

/* A file, or a folder that cannot be looked into. */
struct delegate_found {
    const char *path;  /* of a folder: with a slash behind it, or empty */
    const char *fault; /* NULL: a file */
};

struct delegate_find {
    struct arena *arena; /* borrowed: all texts */
    struct delegate_found *items;
    size_t count;
    size_t capacity;
    size_t entries; /* looked at */
    bool no_folder; /* the pattern's folder does not exist */
};

/* Finds what fits, in byte order of the paths. All zero but the arena is a good start. 0 or -1
 * (memory). */
int delegate_find(struct delegate_find *find, const struct delegate_pattern *pattern);

void delegate_find_free(struct delegate_find *find);

enum delegate_file_result {
    DELEGATE_FILE_READ,
    DELEGATE_FILE_GONE,
    DELEGATE_FILE_FAULT, /* *fault (static or of strerror) says why not */
    DELEGATE_FILE_NO_MEMORY
};

struct delegate_file {
    char *text; /* for the caller to free */
    size_t length;
    struct stat status;
    const char *fault;
};

/* Reads a file that the pattern found. Never waits. */
enum delegate_file_result delegate_file_read(const struct delegate_pattern *pattern,
                                             const char *path, struct delegate_file *out);

#endif
