/*
 * pid_file - one daemon per pid file, and the sign that a reload is done
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

/* Opens, locks and writes it. It must belong to us, to root or to `user`: its owner decides which
 * process a stop script ends. 0; 1: the process *holder (0: not known) has it; -1: *error (static,
 * or of strerror) says why not. Takes path over only with 0. */
int pid_file_open(struct pid_file *file, char *path, uid_t user, pid_t *holder, const char **error);

/* New times on the file. Needs no rights but the open file. */
void pid_file_touch(const struct pid_file *file);

/* Removes it; where the directory does not permit that, empties it. */
void pid_file_remove(struct pid_file *file);

#endif
