/* The lock, then the lines: see daemon_status.h. */
#include "ctl/daemon_status.h"

#include "ctl/output.h"
#include "system/paths.h"
#include "text/number.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More is not the daemon's (daemon/written/status_file.c). */
#define STATUS_TEXT_MAX 65536

static enum daemon_found find(struct daemon_status *status, const char *pid_file)
{
    struct flock want = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open(pid_file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int result;
    status->pid = 0;
    status->error = errno;
    if (fd < 0)
        return errno == ENOENT ? DAEMON_IS_NOT_THERE : DAEMON_IS_HIDDEN;
    result = fcntl(fd, F_GETLK, &want);
    status->error = errno;
    close(fd);
    if (result != 0)
        return DAEMON_IS_HIDDEN;
    if (want.l_type == F_UNLCK)
        return DAEMON_IS_NOT_THERE;
    if (want.l_pid > 0)
        status->pid = want.l_pid;
    return DAEMON_RUNS;
}

static void read_text(struct daemon_status *status)
{
    char octets[4096];
    ssize_t n = 0;
    int fd = open(status->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return;
    while (status->text.len < STATUS_TEXT_MAX && (n = read(fd, octets, sizeof octets)) > 0)
        strbuf_add(&status->text, octets, (size_t)n);
    close(fd);
}

/* True if the process with the lock wrote the status file, not an earlier daemon. */
static bool is_of_holder(const struct daemon_status *status)
{
    uint64_t pid;
    return number_parse(daemon_status_value(status, "pid"), INT_MAX, &pid) &&
           (pid_t)pid == status->pid;
}

void daemon_status_read(struct daemon_status *status, const char *pid_file)
{
    strbuf_reset(&status->text);
    if (status->path == NULL)
        status->path = path_of_status(pid_file);
    status->found = find(status, pid_file);
    if (status->found != DAEMON_RUNS)
        return;
    read_text(status);
    if (!is_of_holder(status))
        strbuf_reset(&status->text);
}

void daemon_status_free(struct daemon_status *status)
{
    free(status->path);
    strbuf_free(&status->text);
    *status = (struct daemon_status){.path = NULL};
}

bool daemon_status_complain(const struct daemon_status *status, const char *pid_file)
{
    bool is_denied = status->error == EACCES || status->error == EPERM;
    if (status->found == DAEMON_IS_NOT_THERE) {
        report_error(
            "mlmilter is not running: no process holds the lock of %s; type: systemctl start "
            "mlmilter (without systemd: mlmilter)",
            pid_file);
        return true;
    }
    report_error("%s: %s%s", pid_file, strerror(status->error),
                 is_denied ? "; be root or the daemon's user: put sudo before the command" : "");
    return false;
}

bool daemon_status_next(struct span *rest, struct span *key, struct span *value)
{
    while (rest->n > 0) {
        struct span line = span_sub(*rest, 0, span_find(*rest, '\n'));
        size_t colon = span_find(line, ':');
        *rest = span_sub(*rest, line.n + 1, rest->n);
        *key = span_sub(line, 0, colon);
        *value = span_sub(line, colon + 2, line.n);
        if (colon < line.n)
            return true;
    }
    return false;
}

struct span daemon_status_value(const struct daemon_status *status, const char *key)
{
    struct span rest = strbuf_span(&status->text);
    struct span its_key;
    struct span value;
    while (daemon_status_next(&rest, &its_key, &value))
        if (span_eq(its_key, span_cstr(key)))
            return value;
    return span_of(NULL, 0);
}
