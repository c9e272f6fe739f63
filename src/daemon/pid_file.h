/*
 * pid_file - one daemon for each pid file; its time tells that a reload ended
 *
 * The file stays open and locked while the daemon lives.  An empty one stays after a stop.  Only
 * root and the daemon may read it: a reader could lock it, too.  Main thread.
 */
#ifndef MLMILTER_DAEMON_PID_FILE_H
#define MLMILTER_DAEMON_PID_FILE_H

#include <sys/types.h>

/* Opens, locks and writes the file. It must belong to this process, to root or to `user`, as its
 * owner decides which process a stop script ends. Returns 0; 1 if the process *holder (0: unknown)
 * has locked it; -1 with *error (static, or of strerror). */
int pid_file_open(const char *path, uid_t user, pid_t *holder, const char **error);

/* Sets the times of the file, if there is one; needs no rights. */
void pid_file_touch(void);

/* Empties the file. */
void pid_file_clear(void);

#endif
