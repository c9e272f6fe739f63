/*
 * delegate - whose list files are read besides the administrator's, and for which domains
 *
 *   domain = [ "*." ] dot-atom-text        international labels as UTF-8 or as A-labels
 *
 * An owner makes list ids only in domains that it has authority for (LI-03, RULINGS 59).
 */
#ifndef MLMILTER_CONFIG_DELEGATION_DELEGATE_H
#define MLMILTER_CONFIG_DELEGATION_DELEGATE_H

#include "config/report/diagnostics.h"
#include "config/syntax/raw_section.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

struct delegate_domain {
    struct span name; /* A-labels; with "below" it begins with the dot */
    bool below;       /* all that ends in name, but not what stands behind its dot */
};

struct delegate {
    struct span name;
    const char *file; /* the main file; borrowed */
    int line;
    const struct raw_item *patterns;
    size_t pattern_count;
    const struct delegate_domain *domains;
    size_t domain_count;
    size_t lists_max;    /* of all its files */
    const char *outside; /* a phrase behind a value that lies in none of the domains */
};

struct delegates {
    struct arena arena;
    struct delegate *items;
    size_t count;
    size_t capacity;
};

void delegates_init(struct delegates *delegates);
void delegates_free(struct delegates *delegates);

/* Takes a section `delegate`, whose values have been checked with raw_section_check, and complains
 * about what is wrong with it. 0 or -1 (memory). */
int delegates_add(struct delegates *delegates, const struct raw_section *raw,
                  struct diagnostics *diagnostics);

/* Does the domain lie in those of the delegate? Letter case aside; scratch is for a domain that is
 * not ASCII. 1, 0, or -1 (memory). */
int delegate_covers(const struct delegate *delegate, struct span domain, struct arena *scratch);

#endif
