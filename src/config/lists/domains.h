/*
 * domains - the domains that the lists of a delegate must keep to (LI-03, RULINGS 59)
 *
 *   domain = [ "*." ] dot-atom-text        international labels as UTF-8 or as A-labels
 */
#ifndef MLMILTER_CONFIG_LISTS_DOMAINS_H
#define MLMILTER_CONFIG_LISTS_DOMAINS_H

#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

struct domain {
    struct span name; /* A-labels; with "below" it begins with the dot */
    bool below;       /* all that ends in name, but not what stands behind its dot */
};

struct domains {
    const char *owner; /* the name of the delegate */
    const struct domain *items;
    size_t count;
    const char *outside; /* a phrase behind a value that lies in none of them */
};

/* Reads a domain into the arena. Returns NULL, or what is wrong with it (static). */
const char *domain_read(struct span text, struct arena *arena, struct domain *out);

/* True if one of the domains covers this one, letter case aside. scratch is for a domain that is
 * not ASCII. */
bool domains_cover(const struct domains *domains, struct span domain, struct arena *scratch);

#endif
