/* starter - see starter.h: one fork and a pipe; a datagram for each notification */
#include "daemon/starter.h"

#include "daemon/log.h"
#include "text/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sysexits.h>
#include <syslog.h>
#include <unistd.h>

static int report_pipe = -1;

static _Noreturn void wait_for_report(int fd)
{
    unsigned char status;
    ssize_t n;
    while ((n = read(fd, &status, 1)) < 0 && errno == EINTR)
        continue;
    _exit(n == 1 ? status : EX_OSERR); /* it ended without a report */
}

int starter_fill_descriptors(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    return fd < 0 ? -1 : close(fd);
}

int starter_leave(void)
{
    int fds[2];
    pid_t child;
    if (pipe2(fds, O_CLOEXEC) != 0 || (child = fork()) < 0)
        return -1;
    if (child > 0) {
        close(fds[1]);
        wait_for_report(fds[0]);
    }
    close(fds[0]);
    report_pipe = fds[1];
    return setsid() < 0 ? -1 : 0;
}

void starter_report(int status)
{
    const unsigned char byte = (unsigned char)status;
    if (report_pipe < 0)
        return;
    while (write(report_pipe, &byte, 1) < 0 && errno == EINTR)
        continue;
    close(report_pipe);
    report_pipe = -1;
}

int starter_detach(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || chdir("/") != 0 || dup2(null, STDIN_FILENO) < 0 ||
        dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
        return -1;
    return close(null);
}

/* Sends to an absolute path, or to "@" and the name of an abstract socket. Returns 0, or -1 with
 * errno. */
static int send_to(const char *address, struct span text)
{
    const struct timeval limit = {.tv_sec = 2}; /* for a manager that does not read */
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const size_t n = strlen(address);
    /* A NUL at the end would be a part of an abstract name. */
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
    int fd, result = -1;
    if (n >= sizeof name.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(name.sun_path, address, n);
    if (address[0] == '@')
        name.sun_path[0] = '\0';
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0 &&
        connect(fd, (struct sockaddr *)&name, size) == 0 &&
        send(fd, text.p, text.n, MSG_NOSIGNAL) >= 0)
        result = 0;
    close(fd);
    return result;
}

bool starter_is_manager(void)
{
    return getenv("NOTIFY_SOCKET") != NULL;
}

void starter_notify(const char *format, ...)
{
    const char *address = getenv("NOTIFY_SOCKET");
    struct strbuf text = STRBUF_INIT;
    va_list ap;
    if (address == NULL)
        return;
    va_start(ap, format);
    strbuf_addv(&text, format, ap);
    va_end(ap);
    if (send_to(address, strbuf_span(&text)) != 0)
        log_printf(LOG_WARNING, "warning: NOTIFY_SOCKET \"%s\": %s", address, strerror(errno));
    strbuf_free(&text);
}
