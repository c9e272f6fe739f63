/* One negotiation: see probe.h. */
#include "ctl/doctor/probe.h"

#include "config/socket_fault.h"
#include "system/monotonic.h"
#include "system/patience.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A length, then a command with its data; each number in network order. This one offers all that
 * version 6 of the protocol has. */
static const char negotiation[] = "\0\0\0\15O\0\0\0\6\0\0\1\377\0\37\377\377";
static const char quit[] = "\0\0\0\1Q";

#define ANSWER_LEAST 13   /* octets behind the length */
#define ANSWER_MOST  4096 /* names of macros may follow */

static bool wait_for(int fd, short events, int64_t until)
{
    struct pollfd one = {.fd = fd, .events = events};
    int64_t left = until - monotonic_now();
    return poll(&one, 1, left > 0 ? (int)left : 0) == 1;
}

static enum probe_answer answer_of_errno(void)
{
    switch (errno) {
    case ENOENT:
        return PROBE_MISSING;
    case EACCES:
        return PROBE_DENIED;
    case ECONNREFUSED:
        return PROBE_REFUSED;
    case EAGAIN: /* a UNIX socket with a full backlog */
    case ETIMEDOUT:
        return PROBE_SILENT;
    default:
        return PROBE_FAILED;
    }
}

/* All octets; false: they did not come. *some: one did. */
static bool read_all(int fd, unsigned char *to, size_t size, int64_t until, bool *some)
{
    while (size > 0) {
        ssize_t n = wait_for(fd, POLLIN, until) ? recv(fd, to, size, 0) : 0;
        if (n <= 0)
            return false;
        *some = true;
        to += n;
        size -= (size_t)n;
    }
    return true;
}

/* The answer is read whole: a socket that is closed with octets left resets the connection. */
static enum probe_answer talk(int fd, int64_t until)
{
    unsigned char answer[ANSWER_MOST];
    bool some = false;
    uint32_t length;
    if (send(fd, negotiation, sizeof negotiation - 1, MSG_NOSIGNAL) != sizeof negotiation - 1)
        return PROBE_SILENT;
    if (!read_all(fd, answer, 5, until, &some))
        return some ? PROBE_STRANGE : PROBE_SILENT;
    length = (uint32_t)answer[0] << 24 | (uint32_t)answer[1] << 16 | (uint32_t)answer[2] << 8 |
             answer[3];
    if (length < ANSWER_LEAST || length > sizeof answer || answer[4] != 'O' ||
        !read_all(fd, answer, length - 1, until, &some))
        return PROBE_STRANGE;
    (void)send(fd, quit, sizeof quit - 1, MSG_NOSIGNAL);
    return PROBE_MILTER;
}

static enum probe_answer probe(const struct sockaddr *name, socklen_t size)
{
    int64_t until = monotonic_now() + patience.probe;
    int fd = socket(name->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    socklen_t room = sizeof errno;
    enum probe_answer answer = PROBE_MILTER;
    int error = 0;
    if (fd < 0)
        return PROBE_FAILED;
    if (connect(fd, name, size) != 0) {
        if (errno != EINPROGRESS)
            answer = answer_of_errno();
        else if (!wait_for(fd, POLLOUT, until))
            answer = PROBE_SILENT;
        else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &room) == 0 && error != 0) {
            errno = error;
            answer = answer_of_errno();
        }
    }
    if (answer == PROBE_MILTER)
        answer = talk(fd, until);
    error = errno;
    close(fd);
    errno = error;
    return answer;
}

/* "inet:PORT@HOST", "inet6:PORT@HOST"; no name is looked up but the one that everybody has. */
static enum probe_answer probe_inet(const char *socket)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    const char *port = strchr(socket, ':') + 1;
    const char *host = strchr(port, '@') + 1;
    bool is_local = strcmp(host, "localhost") == 0;
    v4.sin_port = v6.sin6_port = htons((uint16_t)atoi(port));
    if (strncmp(socket, "inet6:", 6) == 0)
        return inet_pton(AF_INET6, is_local ? "::1" : host, &v6.sin6_addr) == 1
                   ? probe((const struct sockaddr *)&v6, sizeof v6)
                   : PROBE_NAMED;
    return inet_pton(AF_INET, is_local ? "127.0.0.1" : host, &v4.sin_addr) == 1
               ? probe((const struct sockaddr *)&v4, sizeof v4)
               : PROBE_NAMED;
}

enum probe_answer probe_socket(const char *socket)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const char *path = socket + socket_path(span_cstr(socket));
    if (*path == '\0')
        return probe_inet(socket);
    if (strlen(path) >= sizeof name.sun_path)
        return PROBE_MISSING;
    memcpy(name.sun_path, path, strlen(path));
    return probe((const struct sockaddr *)&name, sizeof name);
}
