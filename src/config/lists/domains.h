/*
 * domains - the domains that the lists of a delegate must be in (LI-03, RULINGS 59)
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
    struct span name; /* A-labels */
    bool is_below;    /* "*.": the domains below the name, but not the name itself */
};

struct domains {
    const char *owner; /* the name of the delegate */
    const struct domain *items;
    size_t count;
    const char *outside; /* the fault of a value that is in none of them */
};

/* Reads a domain into the arena. Returns NULL, or what is wrong with it (a static phrase). */
const char *domain_read(struct span text, struct arena *arena, struct domain *out);

/* True if one of the domains covers this one; letter case does not count. scratch is for a domain
 * that is not ASCII. */
bool domains_cover(const struct domains *domains, struct span domain, struct arena *scratch);

#endif
