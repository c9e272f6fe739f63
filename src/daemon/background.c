/* One fork and a pipe: the process that starts the daemon learns whether its socket is open. */
#include "daemon/background.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

static int report_pipe = -1;

static _Noreturn void wait_for_report(int fd, pid_t child)
{
    unsigned char status;
    ssize_t n;
    int how;
    while ((n = read(fd, &status, 1)) < 0 && errno == EINTR)
        continue;
    if (n == 1)
        _exit(status);
    /* It died without a word. */
    while (waitpid(child, &how, 0) < 0)
        if (errno != EINTR)
            _exit(EX_OSERR);
    _exit(WIFEXITED(how) && WEXITSTATUS(how) != 0 ? WEXITSTATUS(how) : EX_OSERR);
}

int background_fill_descriptors(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    return fd < 0 ? -1 : close(fd);
}

int background_start(void)
{
    int fds[2];
    pid_t child;
    if (pipe(fds) != 0)
        return -1;
    child = fork();
    if (child < 0) {
        int saved = errno;
        close(fds[0]);
        close(fds[1]);
        errno = saved;
        return -1;
    }
    if (child > 0) {
        close(fds[1]);
        wait_for_report(fds[0], child);
    }
    close(fds[0]);
    report_pipe = fds[1];
    if (fcntl(report_pipe, F_SETFD, FD_CLOEXEC) < 0 || setsid() < 0)
        return -1;
    return 0;
}

void background_report(int status)
{
    unsigned char octet = (unsigned char)status;
    if (report_pipe < 0)
        return;
    while (write(report_pipe, &octet, 1) < 0 && errno == EINTR)
        continue;
    close(report_pipe);
    report_pipe = -1;
}

int background_detach(void)
{
    int null;
    if (chdir("/") != 0)
        return -1;
    null = open("/dev/null", O_RDWR);
    if (null < 0)
        return -1;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (dup2(null, fd) < 0) {
            int saved = errno;
            close(null);
            errno = saved;
            return -1;
        }
    }
    if (null > STDERR_FILENO)
        close(null);
    return 0;
}
