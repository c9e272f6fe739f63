/* The service manager's protocol, sd_notify(3) and sd_watchdog_enabled(3), without its library. */
#include "daemon/notify.h"

#include "daemon/log.h"
#include "system/monotonic.h"
#include "system/patience.h"
#include "text/number.h"
#include "text/strbuf.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

/* An absolute path, or "@" and the name of an abstract socket. 0 or -1 with errno. */
static int connect_to(int fd, const char *address)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    size_t n = strlen(address);
    if ((address[0] != '/' && address[0] != '@') || address[1] == '\0') {
        errno = EINVAL;
        return -1;
    }
    if (n >= sizeof name.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(name.sun_path, address, n);
    if (address[0] == '@')
        name.sun_path[0] = '\0';
    /* The length counts: an abstract name may hold any octet, NULs at its end too. */
    return connect(fd, (struct sockaddr *)&name,
                   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
}

static int open_socket(const char *address)
{
    const struct timeval limit = {.tv_sec = patience.manager / 1000,
                                  .tv_usec = patience.manager % 1000 * 1000};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0 &&
        connect_to(fd, address) == 0)
        return fd;
    log_printf(LOG_WARNING, "warning: NOTIFY_SOCKET \"%s\": %s", address, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

/* A number that is greater than 0, or 0. */
static int64_t number_of(const char *name)
{
    const char *text = getenv(name);
    uint64_t number = 0;
    (void)number_parse(span_cstr(text != NULL ? text : ""), INT64_MAX, &number);
    return (int64_t)number;
}

void notify_open(struct notify *notify)
{
    const char *address = getenv("NOTIFY_SOCKET");
    int64_t allowed = number_of("WATCHDOG_USEC");
    *notify = (struct notify)NOTIFY_INIT;
    if (address != NULL)
        notify->fd = open_socket(address);
    /* The variables may have come down from somebody else's service. */
    if (getenv("WATCHDOG_PID") != NULL && number_of("WATCHDOG_PID") != getpid())
        allowed = 0;
    if (notify->fd >= 0)
        notify->every = allowed / 2;
    (void)unsetenv("NOTIFY_SOCKET");
    (void)unsetenv("WATCHDOG_USEC");
    (void)unsetenv("WATCHDOG_PID");
}

void notify_close(struct notify *notify)
{
    if (notify->fd >= 0)
        close(notify->fd);
    *notify = (struct notify)NOTIFY_INIT;
}

/* 0 or -1 with errno. */
static int send_text(int fd, const struct strbuf *text)
{
    ssize_t n;
    do
        n = send(fd, text->data, text->len, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -1 : 0;
}

void notify_send(const struct notify *notify, const char *format, ...)
{
    struct strbuf text = STRBUF_INIT;
    va_list ap;
    if (notify->fd < 0)
        return;
    va_start(ap, format);
    strbuf_addv(&text, format, ap);
    va_end(ap);
    if (send_text(notify->fd, &text) != 0)
        log_printf(LOG_WARNING, "warning: the service manager cannot be told: %s", strerror(errno));
    strbuf_free(&text);
}

void notify_reloading(const struct notify *notify)
{
    notify_send(notify, "RELOADING=1\nMONOTONIC_USEC=%lld",
                (long long)monotonic_nanoseconds() / 1000);
}

void notify_alive(struct notify *notify)
{
    if (notify_wait(notify) != 0)
        return;
    notify_send(notify, "WATCHDOG=1");
    notify->reported = monotonic_nanoseconds() / 1000;
}

int notify_wait(const struct notify *notify)
{
    int64_t left;
    if (notify->every == 0)
        return -1;
    left = notify->reported + notify->every - monotonic_nanoseconds() / 1000;
    if (left <= 0)
        return 0;
    /* Rounded up, so that nobody wakes up to find that it is not yet due. */
    left = (left + 999) / 1000;
    return left < INT_MAX ? (int)left : INT_MAX;
}
