/* The socket that libmilter opens and the thread that smfi_main runs in. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/listener.h"

#include "config/socket_fault.h"
#include "daemon/log.h"
#include "libmilter/connections.h"
#include "libmilter/gaps.h"
#include "libmilter/stop_signals.h"
#include "system/paths.h"
#include "system/patience.h"
#include "system/thread.h"
#include "text/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <libmilter/mfapi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

/* The kernel makes less of it if it must. */
#define BACKLOG 4096

int listener_set(struct listener *listener, const char *socket)
{
    const size_t at = socket_path(span_cstr(socket));
    char *absolute;
    memset(listener, 0, sizeof *listener);
    if (socket[at] == '\0') {
        listener->connection = memory_copy(socket);
        return 0;
    }
    absolute = path_absolute(socket + at);
    if (absolute == NULL)
        return -1;
    listener->connection = memory_new(sizeof "unix:" + strlen(absolute), 1);
    listener->path = strcpy(stpcpy(listener->connection, "unix:"), absolute);
    free(absolute);
    return 0;
}

/* libmilter removes whatever socket is in the way. A locked pid file keeps us from doing that to
 * one of our own; this is for everybody else's. */
static bool somebody_listens(const char *path)
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

/* Gives the socket itself away, whatever its name may stand for by then. */
static int give_socket(struct listener *listener, int fd, const struct socket_access *access)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISSOCK(st.st_mode) || st.st_nlink != 1) {
        log_printf(LOG_ERR, "error: %s: the socket is not there any more", listener->path);
        return -1;
    }
    listener->device = st.st_dev;
    listener->inode = st.st_ino;
    if ((access->owner == (uid_t)-1 || access->owner == st.st_uid) &&
        (access->group == (gid_t)-1 || access->group == st.st_gid))
        return 0;
    if (fchownat(fd, "", access->owner, access->group, AT_EMPTY_PATH) == 0)
        return 0;
    log_printf(LOG_ERR,
               "error: %s: cannot be given to socket_group: %s (start as root, or as a member of "
               "the group)",
               listener->path, strerror(errno));
    return -1;
}

/* The mode was made right by the umask; here the owner. */
static int own_socket(struct listener *listener, const struct socket_access *access)
{
    int fd = open(listener->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    int result;
    if (fd < 0) {
        log_printf(LOG_ERR, "error: %s: %s", listener->path, strerror(errno));
        return -1;
    }
    result = give_socket(listener, fd, access);
    close(fd);
    return result;
}

int listener_open(struct listener *listener, const struct socket_access *access)
{
    /* In seconds. libmilter's own limit for the rest of a packet is two hours, and it has few
     * threads. */
    const int packet = (int)((patience.packet + 999) / 1000);
    mode_t saved;
    int result;
    if (listener->path != NULL && somebody_listens(listener->path)) {
        log_printf(LOG_ERR, "error: %s: another program listens there", listener->path);
        return -1;
    }
    (void)smfi_setconn(listener->connection); /* smfi_opensocket fails without it */
    (void)smfi_setbacklog(BACKLOG);
    (void)smfi_settimeout(packet);
    saved = umask((mode_t)(0777 & ~access->mode));
    result = smfi_opensocket(true);
    umask(saved);
    if (result != MI_SUCCESS) {
        log_printf(LOG_ERR, "error: the socket %s cannot be opened", listener->connection);
        return -1;
    }
    return listener->path != NULL ? own_socket(listener, access) : 0;
}

static void log_failure(const char *line)
{
    log_line(LOG_ERR, line);
}

static void *run_libmilter(void *argument)
{
    struct listener *listener = argument;
    (void)smfi_main();
    atomic_store(&listener->ended, true);
    listener->on_end();
    return NULL;
}

int listener_start(struct listener *listener, void (*on_end)(void))
{
    listener->on_end = on_end;
    atomic_init(&listener->ended, false);
    connections_tell(log_failure);
    if (thread_start(NULL, run_libmilter, listener) != 0) {
        log_printf(LOG_ERR, "error: libmilter's thread: %s", strerror(errno));
        return -1;
    }
    if (!stop_signals_held(patience.start)) {
        char line[300];
        if (gap_complaint(GAP_STOP_SIGNALS, line, sizeof line))
            log_line(LOG_ERR, line);
        return -1;
    }
    return 0;
}

bool listener_has_ended(struct listener *listener)
{
    return atomic_load(&listener->ended);
}

void listener_close(struct listener *listener)
{
    struct stat st;
    if (listener->path != NULL && listener->inode != 0 && lstat(listener->path, &st) == 0 &&
        st.st_dev == listener->device && st.st_ino == listener->inode)
        (void)unlink(listener->path);
    free(listener->connection);
    listener->connection = NULL;
    listener->path = NULL;
}
