/* trust - networks and names of clients that may speak for a list (RULINGS 23, 27). */
#include "config/lists/trust.h"

#include "text/number.h"

#include <arpa/inet.h>
#include <string.h>

#define ADDRESS_BITS  128
#define MAPPED_BITS   96 /* of ::ffff:0:0/96 */
#define MAPPED_OCTETS (MAPPED_BITS / 8)

enum trust_kind { TRUST_NETWORK, TRUST_DAEMON, TRUST_AUTHENTICATED, TRUST_LOCAL };

struct trust_rule {
    enum trust_kind kind;
    unsigned bits; /* of the address that count */
    struct trust_address address;
    struct span daemon_name;
};

static const unsigned char mapped_prefix[MAPPED_OCTETS] = {0, 0, 0, 0, 0,    0,
                                                           0, 0, 0, 0, 0xff, 0xff};

static bool is_ipv4(const struct trust_address *address)
{
    return memcmp(address->octets, mapped_prefix, MAPPED_OCTETS) == 0;
}

bool trust_address_parse(struct span text, struct trust_address *address)
{
    char copy[INET6_ADDRSTRLEN + 1]; /* inet_pton wants a NUL */
    bool tagged = span_starts_nocase(text, span_cstr("IPv6:"));
    if (tagged)
        text = span_sub(text, 5, text.n);
    if (text.n == 0 || text.n >= sizeof copy || memchr(text.p, '\0', text.n) != NULL)
        return false;
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';

    unsigned char ipv4[4];
    if (!tagged && inet_pton(AF_INET, copy, ipv4) == 1) {
        memcpy(address->octets, mapped_prefix, MAPPED_OCTETS);
        memcpy(address->octets + MAPPED_OCTETS, ipv4, sizeof ipv4);
        return true;
    }
    return inet_pton(AF_INET6, copy, address->octets) == 1;
}

static const char *compile_network(struct span text, struct trust_rule *rule)
{
    size_t slash = span_find(text, '/');
    struct span host = span_sub(text, 0, slash);
    if (host.n > 0 && host.p[0] == '[')
        return "has brackets (expected an IPv6 address without them)";
    if (!trust_address_parse(host, &rule->address))
        return "is no rule for clients (expected a network such as \"192.0.2.0/24\" or "
               "\"2001:db8::/32\", \"daemon:NAME\", \"authenticated\" or \"local\")";
    rule->kind = TRUST_NETWORK;
    rule->bits = ADDRESS_BITS;
    if (slash == text.n)
        return NULL;

    bool dotted = span_find(host, ':') == host.n;
    uint64_t length;
    struct span digits = span_sub(text, slash + 1, text.n);
    if (digits.n > 3 || !number_parse(digits, dotted ? 32 : ADDRESS_BITS, &length))
        return dotted ? "has a wrong prefix length (expected 0 to 32 after the slash)"
                      : "has a wrong prefix length (expected 0 to 128 after the slash)";
    rule->bits = (unsigned)(dotted ? MAPPED_BITS + length : length);
    return NULL;
}

static const char *compile_rule(struct span text, struct trust_rule *rule)
{
    static const char daemon_prefix[] = "daemon:";
    const size_t prefix = sizeof daemon_prefix - 1;
    if (span_starts_nocase(text, span_cstr(daemon_prefix))) {
        rule->kind = TRUST_DAEMON;
        rule->daemon_name = span_sub(text, prefix, text.n);
        return rule->daemon_name.n > 0
                   ? NULL
                   : "has no name (expected \"daemon:\" and the name of a listener)";
    }
    if (span_eq_nocase(text, span_cstr("authenticated"))) {
        rule->kind = TRUST_AUTHENTICATED;
        return NULL;
    }
    if (span_eq_nocase(text, span_cstr("local"))) {
        rule->kind = TRUST_LOCAL;
        return NULL;
    }
    return compile_network(text, rule);
}

const char *trust_fault(struct span rule)
{
    struct trust_rule ignored;
    return compile_rule(rule, &ignored);
}

static bool has_host_bits(const struct trust_rule *rule)
{
    for (unsigned bit = rule->bits; bit < ADDRESS_BITS; bit++)
        if ((rule->address.octets[bit / 8] & (0x80u >> bit % 8)) != 0)
            return true;
    return false;
}

const char *trust_hint(struct span text)
{
    struct trust_rule rule;
    if (compile_rule(text, &rule) != NULL || rule.kind != TRUST_NETWORK)
        return NULL;
    if (rule.bits < (is_ipv4(&rule.address) ? MAPPED_BITS + 8 : 8))
        return "trusts a large part of the Internet to speak for the lists (expected a network of "
               "one's own)";
    if (has_host_bits(&rule))
        return "has an address after its prefix, which does not count (expected the network's "
               "own address, or no prefix length for one host)";
    return NULL;
}

struct trust_rules trust_compile(const struct span *rules, size_t count, struct arena *arena)
{
    struct trust_rule *compiled = arena_calloc(arena, count, sizeof *compiled);
    for (size_t i = 0; i < count; i++) {
        compile_rule(rules[i], &compiled[i]);
        if (compiled[i].kind == TRUST_DAEMON)
            compiled[i].daemon_name = arena_dup(arena, compiled[i].daemon_name);
    }
    return (struct trust_rules){compiled, count};
}

bool trust_address_within(const struct trust_address *address, const struct trust_address *network,
                          unsigned bits)
{
    size_t whole = bits / 8;
    if (memcmp(network->octets, address->octets, whole) != 0)
        return false;
    unsigned rest = bits % 8;
    if (rest == 0)
        return true;
    unsigned mask = 0xffu << (8 - rest) & 0xffu;
    return ((network->octets[whole] ^ address->octets[whole]) & mask) == 0;
}

static bool in_network(const struct trust_rule *rule, const struct trust_address *address)
{
    /* An IPv4 client is in IPv4 networks only: "::/0" means every IPv6 client (RULINGS 27). */
    bool rule_is_ipv4 = rule->bits >= MAPPED_BITS && is_ipv4(&rule->address);
    if (rule_is_ipv4 != is_ipv4(address))
        return false;
    return trust_address_within(address, &rule->address, rule->bits);
}

static bool rule_matches(const struct trust_rule *rule, const struct client *client)
{
    switch (rule->kind) {
    case TRUST_NETWORK:
        return client->has_address && in_network(rule, &client->address);
    case TRUST_DAEMON:
        return span_eq(rule->daemon_name, client->daemon_name);
    case TRUST_AUTHENTICATED:
        return client->authenticated;
    case TRUST_LOCAL:
        return client->local;
    }
    return false;
}

bool trust_matches(const struct trust_rules *rules, const struct client *client)
{
    for (size_t i = 0; i < rules->count; i++)
        if (rule_matches(&rules->rules[i], client))
            return true;
    return false;
}
