/*
 * read_file - reading configuration files, and finding them by pattern
 */
#ifndef MLMILTER_CONFIG_FILES_READ_FILE_H
#define MLMILTER_CONFIG_FILES_READ_FILE_H

#include "text/arena.h"
#include "text/span.h"
#include "text/strmap.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* A list file of 100,000 large lists has about 60 MB. */
#define CONFIG_FILE_MAX ((size_t)64 * 1024 * 1024)

enum config_file_result {
    CONFIG_FILE_READ,
    CONFIG_FILE_SEEN,  /* it has been read under another name */
    CONFIG_FILE_FAULT, /* *fault (static or of strerror) says why not */
    CONFIG_FILE_NO_MEMORY
};

/* Reads a regular file (or one that a symbolic link leads to) as a whole. `seen` (may be NULL)
 * knows the files read so far, its keys live in the arena, and is their owner itself. *text is for
 * the caller to free. Never waits: a FIFO is a fault. */
enum config_file_result config_file_read(const char *path, struct strmap *seen, struct arena *arena,
                                         char **text, size_t *length, const char **fault);

/* Remembers by device and i-node that somebody has read the file; owner must not be NULL. 0; 1: it
 * has been read for *present; -1 (memory). */
int config_file_remember(struct strmap *seen, struct arena *arena, const struct stat *status,
                         void *owner, void **present);

/* The folder of a file, with the slash behind it; empty when its name has none. Points into it. */
struct span config_file_folder(const char *file);

/* What stands before a path that is written in a file: its folder, and nothing before an absolute
 * one. */
struct span config_file_base(const char *file, struct span path);

enum config_pattern_result {
    CONFIG_PATTERN_FINE,
    CONFIG_PATTERN_NONE, /* it is no pattern but a name, and there is no such file */
    CONFIG_PATTERN_UNREADABLE,
    CONFIG_PATTERN_NO_MEMORY
};

/* The names, in byte order, that fit a pattern written in file `from`; into the arena. */
enum config_pattern_result config_file_glob(const char *from, struct span pattern,
                                            struct arena *arena, const char *const **paths,
                                            size_t *count);

#endif
