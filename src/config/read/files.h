/*
 * files - reads the files of a configuration, and finds those that fit a pattern
 *
 * Patterns are those of glob(3): no wildcard fits a slash, or a dot at the begin of a name.
 */
#ifndef MLMILTER_CONFIG_READ_FILES_H
#define MLMILTER_CONFIG_READ_FILES_H

#include "text/arena.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct file_rules {
    size_t bytes_max;
    const char *too_large; /* the fault of a file with more */
    bool is_foreign;       /* its owner is not trusted: no symbolic link, no second name */
};

struct file_text {
    char *text; /* for the caller to free; has room for one more byte */
    size_t length;
    mode_t mode;
    int error;         /* errno of the call that failed; 0: the file itself is wrong */
    const char *fault; /* static or of strerror: a phrase after the name of the file */
};

/* Returns the text of an error of path_open_real. */
const char *open_fault(int error);

/* Reads a regular file. Never waits. Returns true, or false with out->fault. */
bool read_file(const char *path, const struct file_rules *rules, struct file_text *out);

/* Returns the folder of a file, with the slash after it; empty if its name has none. */
struct span path_folder(struct span file);

/* Returns the text before a path that is written in the file `from`: the folder of that file, or
 * nothing before an absolute path. */
struct span path_base(const char *from, struct span path);

/* Appends a path as a pattern that fits only itself. */
void path_pattern_add_plain(struct strbuf *out, struct span path);

/* Returns a pattern that is written in the file `from`, as seen from the current folder. */
const char *path_pattern(const char *from, struct span pattern, struct arena *arena);

/* True if one of the patterns fits the path. */
bool path_fits(const char *const *patterns, size_t count, const char *path);

struct found_files {
    const char **paths; /* sorted by their bytes, as no locale is set; in the arena */
    size_t count;
    bool is_unknown; /* a folder cannot be read */
};

/* Finds the files that fit a pattern. */
struct found_files find_files(const char *pattern, struct arena *arena);

#endif
