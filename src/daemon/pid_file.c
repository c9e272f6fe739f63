/* pid_file - see pid_file.h */
#include "daemon/pid_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PID_FILE_MODE 0600

static int pid_fd = -1;

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

static int write_pid(int fd)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    return pwrite(fd, text, (size_t)n, 0) == n ? 0 : -1;
}

/* Returns the reason why an existing file cannot be used, or NULL. */
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

int pid_file_open(const char *path, uid_t user, pid_t *holder, const char **error)
{
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, PID_FILE_MODE);
    int result = -1;
    struct stat st;
    *error = NULL;
    if (fd < 0) {
        *error = errno == ELOOP ? "it is a symbolic link" : strerror(errno);
        return -1;
    }
    if (fstat(fd, &st) == 0 && (*error = fault_of(&st, user)) == NULL)
        result = lock(fd, holder);
    if (result == 0 &&
        (fchmod(fd, PID_FILE_MODE) != 0 || ftruncate(fd, 0) != 0 || write_pid(fd) != 0))
        result = -1;
    if (result == 0) {
        pid_fd = fd;
        return 0;
    }
    if (result < 0 && *error == NULL)
        *error = strerror(errno);
    close(fd);
    return result;
}

void pid_file_touch(void)
{
    if (pid_fd >= 0)
        (void)write_pid(pid_fd);
}

void pid_file_clear(void)
{
    if (pid_fd >= 0 && ftruncate(pid_fd, 0) == 0)
        close(pid_fd);
    pid_fd = -1;
}
