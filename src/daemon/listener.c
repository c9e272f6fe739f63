/* listener - see listener.h */
#include "daemon/listener.h"

#include "config/read/faults.h"
#include "daemon/log.h"
#include "libmilter/connection.h"
#include "milter/callbacks.h"
#include "system/paths.h"
#include "system/timeouts.h"
#include "text/strbuf.h"

#include <errno.h>
#include <libmilter/mfapi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sysexits.h>
#include <syslog.h>
#include <unistd.h>

#define BACKLOG 4096 /* the kernel makes less of it if it must */

static struct strbuf name = STRBUF_INIT; /* libmilter's syntax */
static const char *path;                 /* of a UNIX socket, in name, or NULL */
static bool is_open;

int listener_set(const char *socket)
{
    const size_t at = socket_path(span_cstr(socket));
    char *absolute = socket[at] != '\0' ? path_absolute(socket + at) : NULL;
    if (absolute == NULL && socket[at] != '\0')
        return -1;
    strbuf_add_str(&name, absolute != NULL ? "unix:" : socket);
    if (absolute != NULL) {
        strbuf_add_str(&name, absolute);
        path = strbuf_str(&name) + strlen("unix:");
    }
    free(absolute);
    return 0;
}

const char *listener_socket(void)
{
    return strbuf_str(&name);
}

const char *listener_path(void)
{
    return path;
}

/* True if another program listens on the UNIX socket, which libmilter would delete. The locked pid
 * file protects another mlmilter only. */
static bool is_taken(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool answered;
    if (fd < 0)
        return false;
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    answered = connect(fd, (struct sockaddr *)&address, sizeof address) == 0 || errno == EAGAIN;
    close(fd);
    return answered;
}

int listener_open(const struct socket_access *access)
{
    mode_t saved = umask((mode_t)(0777 & ~access->mode));
    const char *fault = NULL;
    if (callbacks_register() != 0)
        fault = "libmilter does not take the filter";
    else if (path != NULL && is_taken())
        fault = "another program listens there";
    else if (smfi_setconn(name.data) != MI_SUCCESS || smfi_setbacklog(BACKLOG) != MI_SUCCESS ||
             smfi_opensocket(true) != MI_SUCCESS)
        fault = "the socket cannot be opened";
    umask(saved);
    is_open = fault == NULL;
    if (is_open && path != NULL && lchown(path, access->owner, access->group) != 0)
        fault = "cannot be given to socket_group (start as root, or as a member of the group)";
    if (fault != NULL)
        log_printf(LOG_ERR, "error: %s: %s", strbuf_str(&name), fault);
    return fault == NULL ? 0 : -1;
}

static void log_failure(const char *reason)
{
    log_printf(LOG_ERR, "error: no connection can be taken: %s: MTAs wait until others end",
               reason);
}

static _Noreturn void *run_libmilter(void *unused)
{
    connection_accept_here();
    (void)smfi_main();
    log_line(LOG_ERR, "error: libmilter stopped unexpectedly");
    (void)unused;
    _exit(EX_TEMPFAIL);
}

/* Sets the limit of descriptors as high as permitted: each connection of an MTA is one. */
static void limit_descriptors(rlim_t most)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max < most ? limit.rlim_max : most;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

int listener_start(void)
{
    pthread_t thread;
    const char *missing;
    bool selects;
    connection_log = log_failure;
    limit_descriptors(CONNECTION_DESCRIPTORS);
    errno = pthread_create(&thread, NULL, run_libmilter, NULL);
    if (errno != 0) {
        log_printf(LOG_ERR, "error: libmilter's thread: %s", strerror(errno));
        return -1;
    }
    (void)pthread_detach(thread);
    missing = connection_wait_for_libmilter(timeouts.start, &selects);
    if (missing != NULL) {
        log_printf(LOG_ERR,
                   "error: libmilter does not call this program's %s (see doc/libmilter.md)",
                   missing);
    } else if (selects) {
        limit_descriptors(FD_SETSIZE);
        log_printf(LOG_INFO,
                   "libmilter waits with select(): at most %d descriptors (see doc/libmilter.md)",
                   FD_SETSIZE);
    }
    return missing == NULL ? 0 : -1;
}

void listener_remove(void)
{
    if (is_open && path != NULL)
        (void)unlink(path);
}
