/*
 * trust - which clients may speak for a list (LI-13, RULINGS 23)
 *
 *   rule    = network / "daemon:" name / "authenticated" / "local"
 *   network = IPv4 or IPv6 address [ "/" prefix length ]
 *
 * One rule that fits is enough.  Pure; any thread.
 */
#ifndef MLMILTER_CONFIG_READ_TRUST_H
#define MLMILTER_CONFIG_READ_TRUST_H

#include "config/read/remarks.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* An address of a client: IPv6, or IPv4 mapped into it (::ffff:a.b.c.d). */
struct trust_address {
    unsigned char octets[16];
};

struct client {
    bool has_address;
    struct trust_address address;
    bool local; /* no socket address and host name "localhost": Sendmail -bs */
    bool authenticated;
    struct span daemon_name; /* {daemon_name}, or empty */
};

struct trust_rule {
    enum trust_kind { TRUST_NETWORK, TRUST_DAEMON, TRUST_AUTHENTICATED, TRUST_LOCAL } kind;
    unsigned bits; /* of the address that count */
    struct trust_address address;
    struct span daemon_name; /* a part of the text that was read */
};

struct trust_rules {
    const struct trust_rule *rules;
    size_t count;
};

/* Reads an address in text form, IPv4 or IPv6 (no brackets, an optional "IPv6:" before it). */
bool trust_address_parse(struct span text, struct trust_address *address);

/* Reads a rule. Returns REMARK_NONE, or what is wrong with it. */
enum remark trust_rule_read(struct span text, struct trust_rule *rule);

/* True if one of the rules fits the client. */
bool trust_matches(const struct trust_rules *rules, const struct client *client);

#endif
