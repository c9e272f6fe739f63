/* socket_fault - checks the name of a socket before libmilter gets it. */
#include "config/socket_fault.h"

#include "config/lists/trust.h"
#include "text/number.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <string.h>
#include <sys/un.h>

#define SOCKET_FORMS "(expected \"inet:PORT@HOST\", \"inet6:PORT@HOST\" or \"unix:PATH\")"

/* port = 1 to 65535, without a sign or zeros before it */
static bool is_port(struct span text)
{
    uint64_t port;
    return text.n > 0 && text.p[0] != '0' && number_parse(text, 65535, &port);
}

/* "127.0.0.1:8894", as Postfix writes it */
static bool is_host_and_port(struct span text)
{
    size_t colon = text.n;
    while (colon > 0 && text.p[colon - 1] != ':')
        colon--;
    return colon > 1 && span_find(text, '@') == text.n && is_port(span_sub(text, colon, text.n));
}

/* The address of a host, which may have a zone ("fe80::1%eth0"). false: it is a name. */
static bool read_address(struct span host, struct trust_address *address)
{
    return trust_address_parse(span_sub(host, 0, span_find(host, '%')), address);
}

static const char *host_fault(struct span host, bool is_inet6)
{
    struct trust_address address;
    if (host.n == 0)
        return "has no host (expected \"inet:PORT@HOST\", for example \"inet:8894@127.0.0.1\")";
    if (!span_is_printable_ascii(host) || span_find(host, ' ') < host.n ||
        span_find(host, '@') < host.n)
        return "has a wrong host (expected a name or an address)";
    if (span_find(host, ':') == host.n)
        return NULL;
    if (!read_address(host, &address))
        return "has a wrong host (expected a name or an address, and the port before the \"@\")";
    return is_inet6 ? NULL : "has an IPv6 address (expected \"inet6:PORT@HOST\")";
}

static const char *inet_fault(struct span text, bool is_inet6)
{
    size_t at = span_find(text, '@');
    if (is_host_and_port(text))
        return "has its host first, as Postfix writes it (expected the port first, as in "
               "\"inet:8894@127.0.0.1\")";
    if (!is_port(span_sub(text, 0, at)))
        return "has a wrong port (expected \"inet:PORT@HOST\" with a PORT from 1 to 65535)";
    return host_fault(span_sub(text, at + 1, text.n), is_inet6);
}

static const char *path_fault(struct span path)
{
    const struct sockaddr_un *size_only = NULL;
    if (path.n == 0)
        return "has no path (expected \"unix:PATH\")";
    if (path.n >= sizeof size_only->sun_path)
        return "has a path that is too long for a socket (" SOCKET_ROOM ")";
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
    bool is_inet6 = span_eq(protocol, span_cstr("inet6"));
    if (span_eq(protocol, span_cstr("inet")) || is_inet6)
        return inet_fault(rest, is_inet6);
    if (span_eq(protocol, span_cstr("unix")) || span_eq(protocol, span_cstr("local")))
        return path_fault(rest);
    return "is no socket " SOCKET_FORMS;
}

/* Reads what inet_aton(3) takes, such as "0" for 0.0.0.0: it is what libmilter listens on. */
static bool read_short_address(struct span host, struct trust_address *address)
{
    char copy[64]; /* with four numbers in octal it is shorter */
    struct in_addr ipv4;
    char dotted[INET_ADDRSTRLEN];
    if (host.n >= sizeof copy)
        return false;
    memcpy(copy, host.p, host.n);
    copy[host.n] = '\0';
    return inet_aton(copy, &ipv4) == 1 &&
           inet_ntop(AF_INET, &ipv4, dotted, sizeof dotted) != NULL &&
           trust_address_parse(span_cstr(dotted), address);
}

/* Addresses that only this host or a private network reaches (RFC 6890; all zeros is none). */
static bool is_private(const struct trust_address *address)
{
    static const struct {
        const char *address;
        unsigned bits;
    } networks[] = {
        {"127.0.0.0", 8},    {"10.0.0.0", 8},     {"172.16.0.0", 12},
        {"192.168.0.0", 16}, {"169.254.0.0", 16}, {"::1", 128},
        {"100.64.0.0", 10},  {"fc00::", 7},       {"fe80::", 10},
    };
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
        struct trust_address network;
        struct span text = span_cstr(networks[i].address);
        unsigned bits = networks[i].bits + (span_find(text, '.') < text.n ? 96 : 0);
        if (trust_address_parse(text, &network) && trust_address_within(address, &network, bits))
            return true;
    }
    return false;
}

const char *socket_hint(struct span text)
{
    struct trust_address address;
    size_t at = span_find(text, '@');
    struct span host = span_sub(text, at + 1, text.n);
    if (socket_path(text) < text.n ||
        !(read_address(host, &address) || read_short_address(host, &address)) ||
        is_private(&address))
        return NULL;
    return "can be reached from other networks, and anyone who connects can claim to be any client "
           "(expected an address of this host alone, such as 127.0.0.1)";
}
