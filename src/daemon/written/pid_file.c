/* The locked pid file. */
#include "daemon/written/pid_file.h"

#include "daemon/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

/* A user who may read a file may hold a read lock on it, and with that keep us from ours when the
 * daemon before us was killed. (master.pid of Postfix is as private.) */
#define PID_FILE_MODE 0600

static int lock(int fd, pid_t *holder)
{
    struct flock want = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_SETLK, &want) == 0)
        return 0;
    if (errno != EACCES && errno != EAGAIN)
        return -1;
    *holder = fcntl(fd, F_GETLK, &want) == 0 && want.l_type != F_UNLCK ? want.l_pid : 0;
    return 1;
}

static bool is_same_file(int fd, const char *path)
{
    struct stat ours, theirs;
    return fstat(fd, &ours) == 0 && lstat(path, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
           ours.st_ino == theirs.st_ino;
}

static int write_pid(int fd)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    return pwrite(fd, text, (size_t)n, 0) == n ? 0 : -1;
}

/* NULL, or what is wrong with what was there before us. */
static const char *fault_of(const struct stat *st, uid_t user)
{
    if (!S_ISREG(st->st_mode))
        return "it is not a regular file";
    if (st->st_nlink > 1)
        return "it has more than one link";
    if (st->st_uid != 0 && st->st_uid != geteuid() && st->st_uid != user)
        return "it belongs to another user";
    return NULL;
}

/* A descriptor of the locked file, or -1 as in pid_file_open's result and *result. */
static int open_locked(const char *path, uid_t user, pid_t *holder, int *result, const char **error)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, PID_FILE_MODE);
    *result = -1;
    if (fd < 0) {
        *error = errno == ELOOP ? "it is a symbolic link" : strerror(errno);
        return -1;
    }
    if (fstat(fd, &st) != 0)
        *error = strerror(errno);
    else if ((*error = fault_of(&st, user)) != NULL)
        *result = -1;
    else if ((*result = lock(fd, holder)) < 0)
        *error = strerror(errno);
    else if (*result == 0)
        return fd;
    close(fd);
    return -1;
}

int pid_file_open(struct pid_file *file, char *path, uid_t user, pid_t *holder, const char **error)
{
    int fd, result;
    /* A daemon that ends removes its file: what we have locked may be nobody's any more. */
    for (int tries = 0; tries < 10; tries++) {
        fd = open_locked(path, user, holder, &result, error);
        if (fd < 0)
            return result;
        if (is_same_file(fd, path)) {
            /* Whatever the umask, and whatever was there. */
            (void)fchmod(fd, PID_FILE_MODE);
            if (ftruncate(fd, 0) == 0 && write_pid(fd) == 0) {
                file->path = path;
                file->fd = fd;
                return 0;
            }
            *error = strerror(errno);
            close(fd);
            return -1;
        }
        close(fd);
    }
    *error = "it is replaced again and again";
    return -1;
}

/* Writing the same again sets the times, and an open file may always be written: its owner is root,
 * and we no longer are. */
void pid_file_touch(const struct pid_file *file)
{
    if (file->fd >= 0)
        (void)write_pid(file->fd);
}

void pid_file_remove(struct pid_file *file)
{
    if (file->fd < 0)
        return;
    if ((!is_same_file(file->fd, file->path) || unlink(file->path) != 0) &&
        ftruncate(file->fd, 0) != 0)
        log_printf(LOG_WARNING, "warning: %s: cannot be removed nor emptied: %s", file->path,
                   strerror(errno));
    close(file->fd);
    free(file->path);
    file->path = NULL;
    file->fd = -1;
}
