/*
 * paths - absolute file names, and missing directories
 */
#ifndef MLMILTER_SYSTEM_PATHS_H
#define MLMILTER_SYSTEM_PATHS_H

#include <sys/types.h>

/* Returns path made absolute with the current directory, for free(); NULL with errno if there is
 * none. */
char *path_absolute(const char *path);

/* Returns the daemon's status file, mlmilter.status in the folder of its pid file, for free(). */
char *path_of_status(const char *pid_file);

/* Creates the directory of path if it is missing, owned by uid and gid (-1: unchanged). Creates the
 * last component only, so that a mistyped path is an error. Returns 0, or -1 with errno. */
int path_make_directory(const char *path, mode_t mode, uid_t uid, gid_t gid);

#endif
