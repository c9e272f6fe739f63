/*
 * paths - absolute file names, files without links, missing directories, and replaced files
 */
#ifndef MLMILTER_SYSTEM_PATHS_H
#define MLMILTER_SYSTEM_PATHS_H

#include "text/span.h"

#include <sys/types.h>

/* Returns path made absolute with the current directory, for free(); NULL with errno if there is
 * none. */
char *path_absolute(const char *path);

/* Returns the daemon's status file, mlmilter.status in the folder of its pid file, for free(). */
char *path_of_status(const char *pid_file);

/* Opens a file or folder of whose path no component is a symbolic link: the owner of a folder could
 * let it lead to the files of others (RULINGS 98). Returns a descriptor, or -1 with errno: ELOOP
 * for a link. */
int path_open_real(const char *path, int flags);

/* Creates the directory of path if it is missing, owned by uid and gid (-1: unchanged). Creates the
 * last component only, so that a mistyped path is an error. Returns 0, or -1 with errno. */
int path_make_directory(const char *path, mode_t mode, uid_t uid, gid_t gid);

/* Replaces a file at once: readers see either the old or the new text. Writes PATH.new, with
 * exactly that mode, and renames it. Does not flush: the text may be lost in a crash of the system.
 * Returns 0, or -1 with errno; then path is unchanged. */
int replace_file(const char *path, struct span text, mode_t mode);

#endif
