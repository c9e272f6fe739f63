/*
 * trust - which clients may speak for a list (LI-13, RULINGS 23)
 *
 *   rule = network / "daemon:" name / "authenticated" / "local"
 *   network = IPv4 or IPv6 address [ "/" prefix length ]
 *
 * One rule that fits is enough.  Pure; any thread.
 */
#ifndef MLMILTER_CONFIG_LISTS_TRUST_H
#define MLMILTER_CONFIG_LISTS_TRUST_H

#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

#define TRUST_ADDRESS_OCTETS 16

/* An address of a client: IPv6, or IPv4 mapped into it (::ffff:a.b.c.d). */
struct trust_address {
    unsigned char octets[TRUST_ADDRESS_OCTETS];
};

struct client {
    bool has_address;
    struct trust_address address;
    bool local; /* no socket address and host name "localhost": Sendmail -bs */
    bool authenticated;
    struct span daemon_name; /* {daemon_name}, or empty */
};

struct trust_rule;

struct trust_rules {
    const struct trust_rule *rules;
    size_t count;
};

/* Reads an address in text form, IPv4 or IPv6 (no brackets, an optional "IPv6:" before it). */
bool trust_address_parse(struct span text, struct trust_address *address);

/* Are the first bits (of 128) those of the network? Pure. */
bool trust_address_within(const struct trust_address *address, const struct trust_address *network,
                          unsigned bits);

/* NULL, or what is wrong with a rule as a phrase behind it in quotes. Static storage. Pure. */
const char *trust_fault(struct span rule);

/* NULL, or what is unwise about a rule that is right, likewise (RULINGS 84). Pure. */
const char *trust_hint(struct span rule);

/* Compiles rules, none of which trust_fault refuses, into the arena. */
struct trust_rules trust_compile(const struct span *rules, size_t count, struct arena *arena);

bool trust_matches(const struct trust_rules *rules, const struct client *client);

#endif
