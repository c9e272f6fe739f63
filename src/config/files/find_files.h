/*
 * find_files - paths and patterns that are written in a file, and what fits them
 *
 * Patterns are those of glob(3): no wildcard fits a slash, or a dot at the begin of a name.
 */
#ifndef MLMILTER_CONFIG_FILES_FIND_FILES_H
#define MLMILTER_CONFIG_FILES_FIND_FILES_H

#include "text/arena.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* The folder of a file, with the slash behind it; empty when its name has none. Points into it. */
struct span path_folder(struct span file);

/* What stands before a path that is written in a file: its folder, and nothing before an absolute
 * one. */
struct span path_base(const char *file, struct span path);

/* Is the text a path as it stands: no wildcard, and no backslash before one? */
bool path_is_plain(struct span text);

/* Appends a path that is meant as it stands: nothing in it counts as a wildcard. */
void path_pattern_add_plain(struct strbuf *out, struct span path);

bool path_pattern_fits(const char *pattern, const char *path);

/* Sorts paths by their octets, which glob(3) and readdir(3) do not. */
void path_sort(const char **paths, size_t count);

/* Finds the paths that fit a pattern written in file `from`; they live in the arena. Sets
 * *is_missing if the pattern is a name, and no such file exists. Returns false if a folder cannot
 * be read. */
bool find_files(const char *from, struct span pattern, struct arena *arena, const char ***paths,
                size_t *count, bool *is_missing);

#endif
