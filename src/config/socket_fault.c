/* socket_fault - checks the name of a socket before libmilter gets it. */
#include "config/socket_fault.h"

#include "text/ascii.h"

#include <stdbool.h>
#include <sys/un.h>

#define SOCKET_FORMS "(expected \"inet:PORT@HOST\", \"inet6:PORT@HOST\" or \"unix:PATH\")"

/* port = 1 to 65535, without a sign or zeros before it */
static bool is_port(struct span text)
{
    unsigned value = 0;
    if (text.n == 0 || text.n > 5 || text.p[0] == '0')
        return false;
    for (size_t i = 0; i < text.n; i++) {
        if (!ascii_is_digit(text.p[i]))
            return false;
        value = value * 10 + (unsigned)(text.p[i] - '0');
    }
    return value <= 65535;
}

static const char *inet_fault(struct span text)
{
    size_t at = span_find(text, '@');
    struct span host = span_sub(text, at + 1, text.n);
    if (!is_port(span_sub(text, 0, at)))
        return "has a wrong port (expected \"inet:PORT@HOST\" with a PORT from 1 to 65535)";
    if (host.n == 0)
        return "has no host (expected \"inet:PORT@HOST\", for example \"inet:8894@127.0.0.1\")";
    if (!span_is_printable_ascii(host) || span_find(host, ' ') < host.n ||
        span_find(host, '@') < host.n)
        return "has a wrong host (expected a name or an address)";
    return NULL;
}

static const char *path_fault(struct span path)
{
    const struct sockaddr_un *size_only = NULL;
    if (path.n == 0)
        return "has no path (expected \"unix:PATH\")";
    if (path.n >= sizeof size_only->sun_path)
        return "has a path that is too long for a socket (expected at most 107 octets)";
    return NULL;
}

size_t socket_path(struct span text)
{
    size_t colon = span_find(text, ':');
    struct span protocol = span_sub(text, 0, colon);
    if (text.n > 0 && text.p[0] == '/')
        return 0;
    if (span_eq(protocol, span_cstr("unix")) || span_eq(protocol, span_cstr("local")))
        return colon < text.n ? colon + 1 : text.n;
    return text.n;
}

const char *socket_fault(struct span text)
{
    size_t colon = span_find(text, ':');
    struct span protocol = span_sub(text, 0, colon);
    struct span rest = span_sub(text, colon + 1, text.n);
    size_t path = socket_path(text);
    if (path < text.n)
        return path_fault(span_sub(text, path, text.n));
    if (colon == text.n)
        return "is no socket " SOCKET_FORMS;
    if (span_eq(protocol, span_cstr("inet")) || span_eq(protocol, span_cstr("inet6")))
        return inet_fault(rest);
    if (span_eq(protocol, span_cstr("unix")) || span_eq(protocol, span_cstr("local")))
        return path_fault(rest);
    return "is no socket " SOCKET_FORMS;
}
