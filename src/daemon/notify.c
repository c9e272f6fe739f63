/* notify - see notify.h */
#include "daemon/notify.h"

#include "daemon/log.h"
#include "system/patience.h"
#include "text/strbuf.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

/* An address is an absolute path, or "@" and the name of an abstract socket. Returns 0, or -1 with
 * errno. */
static int send_to(const char *address, struct span text)
{
    const struct timeval limit = {.tv_sec = patience.manager / 1000,
                                  .tv_usec = patience.manager % 1000 * 1000};
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    size_t n = strlen(address);
    int fd, result = -1;
    if (n >= sizeof name.sun_path || (address[0] != '/' && address[0] != '@')) {
        errno = EINVAL;
        return -1;
    }
    memcpy(name.sun_path, address, n);
    if (address[0] == '@')
        name.sun_path[0] = '\0';
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    n += offsetof(struct sockaddr_un, sun_path); /* a NUL would be a part of an abstract name */
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0 &&
        connect(fd, (struct sockaddr *)&name, (socklen_t)n) == 0 &&
        send(fd, text.p, text.n, MSG_NOSIGNAL) >= 0)
        result = 0;
    close(fd);
    return result;
}

void notify_send(const char *format, ...)
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
