/* socket_fault - checks the name of a socket before libmilter gets it. */
#include "config/socket_fault.h"

#include "config/lists/trust.h"
#include "text/number.h"

#include <stdbool.h>
#include <sys/un.h>

#define SOCKET_FORMS "(expected \"inet:PORT@HOST\", \"inet6:PORT@HOST\" or \"unix:PATH\")"

/* port = 1 to 65535, without a sign or zeros before it */
static bool is_port(struct span text)
{
    uint64_t port;
    return text.n > 0 && text.p[0] != '0' && number_parse(text, 65535, &port);
}

/* True for "127.0.0.1:8894", as Postfix writes it. */
static bool is_host_and_port(struct span text)
{
    size_t colon = text.n;
    while (colon > 0 && text.p[colon - 1] != ':')
        colon--;
    return colon > 1 && span_find(text, '@') == text.n && is_port(span_sub(text, colon, text.n));
}

/* Reads the address of a host, which may have a zone ("fe80::1%eth0"). Returns false for a name. */
static bool read_address(struct span host, struct trust_address *address)
{
    return trust_address_parse(span_sub(host, 0, span_find(host, '%')), address);
}

/* Names of hosts are libmilter's to refuse. */
static const char *inet_fault(struct span text, bool is_inet6)
{
    struct trust_address address;
    size_t at = span_find(text, '@');
    struct span host = span_sub(text, at + 1, text.n);
    if (is_host_and_port(text))
        return "has its host first, as Postfix writes it (expected the port first, as in "
               "\"inet:8894@127.0.0.1\")";
    if (!is_port(span_sub(text, 0, at)))
        return "has a wrong port (expected \"inet:PORT@HOST\" with a PORT from 1 to 65535)";
    if (host.n == 0)
        return "has no host (expected \"inet:PORT@HOST\", for example \"inet:8894@127.0.0.1\")";
    if (span_find(host, ':') == host.n)
        return NULL;
    if (!read_address(host, &address))
        return "has a wrong host (expected a name or an address, and the port before the \"@\")";
    return is_inet6 ? NULL : "has an IPv6 address (expected \"inet6:PORT@HOST\")";
}

size_t socket_path(struct span text)
{
    size_t colon = span_find(text, ':');
    struct span protocol = span_sub(text, 0, colon);
    if (text.n > 0 && text.p[0] == '/')
        return 0;
    if (colon < text.n &&
        (span_eq(protocol, span_cstr("unix")) || span_eq(protocol, span_cstr("local"))))
        return colon + 1;
    return text.n;
}

const char *socket_fault(struct span text)
{
    const struct sockaddr_un *size_only = NULL;
    size_t colon = span_find(text, ':'), path = socket_path(text);
    struct span protocol = span_sub(text, 0, colon);
    bool is_inet6 = span_eq(protocol, span_cstr("inet6"));
    if (path < text.n)
        return text.n - path < sizeof size_only->sun_path
                   ? NULL
                   : "has a path that is too long for a socket (" SOCKET_ROOM ")";
    if (span_eq(text, span_cstr("unix:")) || span_eq(text, span_cstr("local:")))
        return "has no path (expected \"unix:PATH\")";
    if (colon < text.n && (is_inet6 || span_eq(protocol, span_cstr("inet"))))
        return inet_fault(span_sub(text, colon + 1, text.n), is_inet6);
    return "is no socket " SOCKET_FORMS;
}

/* True if only this host or a private network reaches the address (RFC 6890). */
static bool is_private(const struct trust_address *address)
{
    static const struct {
        const char *address;
        unsigned bits; /* IPv4 is mapped into IPv6 */
    } networks[] = {
        {"127.0.0.0", 96 + 8},
        {"10.0.0.0", 96 + 8},
        {"172.16.0.0", 96 + 12},
        {"192.168.0.0", 96 + 16},
        {"169.254.0.0", 96 + 16},
        {"100.64.0.0", 96 + 10},
        {"::1", 128},
        {"fc00::", 7},
        {"fe80::", 10},
    };
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
        struct trust_address network;
        if (trust_address_parse(span_cstr(networks[i].address), &network) &&
            trust_address_within(address, &network, networks[i].bits))
            return true;
    }
    return false;
}

const char *socket_hint(struct span text)
{
    struct trust_address address;
    struct span host = span_sub(text, span_find(text, '@') + 1, text.n);
    if (socket_path(text) < text.n || !read_address(host, &address) || is_private(&address))
        return NULL;
    return "can be reached from other networks, and anyone who connects can claim to be any client "
           "(expected an address of this host alone, such as 127.0.0.1)";
}
