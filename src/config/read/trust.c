/* trust - see trust.h */
#include "config/read/trust.h"

#include "config/read/faults.h"
#include "text/number.h"

#include <arpa/inet.h>

#define ADDRESS_BITS  128
#define MAPPED_BITS   96 /* of ::ffff:0:0/96, before an IPv4 address */
#define MAPPED_OCTETS (MAPPED_BITS / 8)

static const unsigned char mapped_prefix[MAPPED_OCTETS] = {[10] = 0xff, [11] = 0xff};

static bool is_ipv4(const struct trust_address *address)
{
    return memcmp(address->octets, mapped_prefix, MAPPED_OCTETS) == 0;
}

bool trust_address_parse(struct span text, struct trust_address *address)
{
    char copy[INET6_ADDRSTRLEN + 1]; /* inet_pton wants a NUL */
    bool is_tagged = span_starts_nocase(text, span_cstr("IPv6:"));
    if (is_tagged)
        text = span_sub(text, 5, text.n);
    if (text.n == 0 || text.n >= sizeof copy || span_find(text, '\0') < text.n)
        return false;
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    memcpy(address->octets, mapped_prefix, MAPPED_OCTETS);
    return (!is_tagged && inet_pton(AF_INET, copy, address->octets + MAPPED_OCTETS) == 1) ||
           inet_pton(AF_INET6, copy, address->octets) == 1;
}

static enum remark read_network(struct span text, struct trust_rule *rule)
{
    size_t slash = span_find(text, '/');
    struct span host = span_sub(text, 0, slash), digits = span_sub(text, slash + 1, text.n);
    bool is_dotted = span_find(host, ':') == host.n;
    uint64_t length = is_dotted ? 32 : ADDRESS_BITS;
    if (span_find_any(text, " ,\t") < text.n) /* mynetworks of Postfix has several */
        return ERROR_TRUST_SEVERAL;
    if (!trust_address_parse(host, &rule->address))
        return ERROR_TRUST;
    if (slash < text.n && (digits.n > 3 || !number_parse(digits, length, &length)))
        return is_dotted ? ERROR_PREFIX_IPV4 : ERROR_PREFIX_IPV6;
    rule->bits = (unsigned)(length + (is_dotted ? MAPPED_BITS : 0));
    return REMARK_NONE;
}

enum remark trust_rule_read(struct span text, struct trust_rule *rule)
{
    const struct span daemon = span_cstr("daemon:");
    *rule = (struct trust_rule){.kind = TRUST_NETWORK};
    if (span_starts_nocase(text, daemon)) {
        rule->kind = TRUST_DAEMON;
        rule->daemon_name = span_sub(text, daemon.n, text.n);
        return rule->daemon_name.n > 0 ? REMARK_NONE : ERROR_TRUST_DAEMON;
    }
    if (span_eq_nocase(text, span_cstr("authenticated")))
        rule->kind = TRUST_AUTHENTICATED;
    else if (span_eq_nocase(text, span_cstr("local")))
        rule->kind = TRUST_LOCAL;
    else
        return read_network(text, rule);
    return REMARK_NONE;
}

/* Returns bit 0 to 127 of an address. */
static bool address_bit(const struct trust_address *address, unsigned bit)
{
    return (address->octets[bit / 8] >> (7 - bit % 8) & 1) != 0;
}

enum remark trust_fault(struct span text)
{
    struct trust_rule ignored;
    return trust_rule_read(span_trim(text), &ignored);
}

enum remark trust_hint(struct span text)
{
    struct trust_rule rule;
    if (trust_rule_read(span_trim(text), &rule) != REMARK_NONE || rule.kind != TRUST_NETWORK)
        return REMARK_NONE;
    if (rule.bits < (is_ipv4(&rule.address) ? MAPPED_BITS + 8 : 8))
        return HINT_LARGE_NETWORK;
    for (unsigned bit = rule.bits; bit < ADDRESS_BITS; bit++)
        if (address_bit(&rule.address, bit))
            return HINT_HOST_BITS;
    return REMARK_NONE;
}

/* An IPv4 client is in IPv4 networks only: "::/0" means every IPv6 client (RULINGS 27). */
static bool in_network(const struct trust_rule *rule, const struct trust_address *address)
{
    unsigned bit = 0;
    bool is_ipv4_rule = rule->bits >= MAPPED_BITS && is_ipv4(&rule->address);
    while (bit < rule->bits && address_bit(address, bit) == address_bit(&rule->address, bit))
        bit++;
    return bit == rule->bits && is_ipv4_rule == is_ipv4(address);
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
