/*
 * paths - names of files that outlive a change of directory
 */
#ifndef MLMILTER_DAEMON_PATHS_H
#define MLMILTER_DAEMON_PATHS_H

#include <sys/types.h>

/* path made absolute with the directory of this moment; the caller frees. NULL: out of memory, or
 * there is no such directory (errno). */
char *path_absolute(const char *path);

/* Makes the directory that path lies in if it is missing: owned by uid and gid (-1: left alone).
 * Those above it are made too with mode 0755, and stay root's. 0, also when it is there; -1 with
 * errno. Not while other threads make files: the umask is changed for a moment. */
int path_make_directory(const char *path, mode_t mode, uid_t uid, gid_t gid);

#endif
