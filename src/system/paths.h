/*
 * paths - names of files that outlive a change of directory
 */
#ifndef MLMILTER_SYSTEM_PATHS_H
#define MLMILTER_SYSTEM_PATHS_H

#include "text/strbuf.h"

#include <sys/types.h>

/* path made absolute with the directory of this moment; the caller frees. NULL: out of memory, or
 * there is no such directory (errno). */
char *path_absolute(const char *path);

/* The daemon's status file: mlmilter.status in the folder of its pid file. The caller frees. NULL:
 * out of memory. */
char *path_of_status(const char *pid_file);

/* Makes the directory that path lies in if it is missing: owned by uid and gid (-1: left alone).
 * None above it: a name that is mistyped is to be an error. 0, also when it is there; -1 with the
 * words for a person in *why. */
int path_make_directory(const char *path, mode_t mode, uid_t uid, gid_t gid, struct strbuf *why);

#endif
