/*
 * pid_file - one daemon for each pid file; its time tells that a reload ended
 *
 * The file stays open and locked for as long as the daemon lives; the lock ends
 * with the process, however it ends.  Nobody else may read it (mode 0600), as a
 * reader could lock it too.
 */
#ifndef MLMILTER_DAEMON_WRITTEN_PID_FILE_H
#define MLMILTER_DAEMON_WRITTEN_PID_FILE_H

#include <sys/types.h>

struct pid_file {
    char *path; /* absolute, owned */
    int fd;     /* -1: not open */
};

#define PID_FILE_INIT                                                                              \
    {                                                                                              \
        NULL, -1                                                                                   \
    }

/* Opens, locks and writes the file. It must belong to this process, to root or to `user`, as its
 * owner decides which process a stop script ends. Takes path over only with 0. Returns 0; 1 if the
 * process *holder (0: unknown) has locked it; -1 with *error (static, or of strerror). */
int pid_file_open(struct pid_file *file, char *path, uid_t user, pid_t *holder, const char **error);

/* Sets the times of the file. Needs no rights except the open file. */
void pid_file_touch(const struct pid_file *file);

/* Removes the file, or empties it if the directory does not permit that. */
void pid_file_remove(struct pid_file *file);

#endif
