/* listener - see listener.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/listener.h"

#include "config/socket_fault.h"
#include "daemon/log.h"
#include "libmilter/connection.h"
#include "libmilter/stop_signals.h"
#include "system/paths.h"
#include "system/patience.h"
#include "text/memory.h"

#include <errno.h>
#include <libmilter/mfapi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#define BACKLOG 4096 /* the kernel makes less of it if it must */

static char *connection; /* libmilter's syntax */
static const char *path; /* the UNIX socket within connection, or NULL */
static bool opened;
static atomic_bool ended;

int listener_set(const char *socket)
{
    const size_t at = socket_path(span_cstr(socket));
    char *absolute;
    if (socket[at] == '\0') {
        connection = memory_copy(socket);
        return 0;
    }
    absolute = path_absolute(socket + at);
    if (absolute == NULL)
        return -1;
    connection = memory_new(sizeof "unix:" + strlen(absolute), 1);
    path = strcpy(stpcpy(connection, "unix:"), absolute);
    free(absolute);
    return 0;
}

const char *listener_socket(void)
{
    return connection;
}

const char *listener_path(void)
{
    return path;
}

/* True if another program listens there. libmilter removes whatever socket is in the way; the
 * locked pid file protects only another mlmilter. */
static bool is_taken(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    bool answered;
    int fd;
    if (strlen(path) >= sizeof name.sun_path)
        return false;
    memcpy(name.sun_path, path, strlen(path));
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    answered = connect(fd, (struct sockaddr *)&name, sizeof name) == 0 || errno == EAGAIN;
    close(fd);
    return answered;
}

int listener_open(const struct socket_access *access)
{
    mode_t saved;
    int result;
    if (path != NULL && is_taken()) {
        log_printf(LOG_ERR, "error: %s: another program listens there", path);
        return -1;
    }
    (void)smfi_setconn(connection); /* smfi_opensocket fails without it */
    (void)smfi_setbacklog(BACKLOG);
    saved = umask((mode_t)(0777 & ~access->mode));
    result = smfi_opensocket(true);
    umask(saved);
    if (result != MI_SUCCESS) {
        log_printf(LOG_ERR, "error: the socket %s cannot be opened", connection);
        return -1;
    }
    opened = true;
    if (path == NULL || lchown(path, access->owner, access->group) == 0)
        return 0;
    log_printf(LOG_ERR,
               "error: %s: cannot be given to socket_group: %s (start as root, or as a member of "
               "the group)",
               path, strerror(errno));
    return -1;
}

static void log_failure(const char *reason)
{
    log_printf(LOG_ERR, "error: no connection can be taken: %s: MTAs wait until others end",
               reason);
}

static void *run_libmilter(void *unused)
{
    (void)smfi_main();
    atomic_store(&ended, true);
    (void)kill(getpid(), SIGTERM);
    return unused;
}

int listener_start(void)
{
    pthread_t thread;
    connection_log = log_failure;
    errno = pthread_create(&thread, NULL, run_libmilter, NULL);
    if (errno != 0) {
        log_printf(LOG_ERR, "error: libmilter's thread: %s", strerror(errno));
        return -1;
    }
    (void)pthread_detach(thread);
    if (stop_signals_wait(patience.start))
        return 0;
    log_line(LOG_ERR, "error: libmilter does not call this program's sigwait(), so a reload could "
                      "end the daemon (see doc/libmilter.md)");
    return -1;
}

bool listener_has_ended(void)
{
    return atomic_load(&ended);
}

void listener_remove(void)
{
    if (opened && path != NULL)
        (void)unlink(path);
}
