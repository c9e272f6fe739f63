/*
 * delegate - whose list files are read besides the administrator's, and for which domains
 *
 * An owner makes list ids only in domains that it has authority for (LI-03, RULINGS 59).
 */
#ifndef MLMILTER_CONFIG_DELEGATION_DELEGATE_H
#define MLMILTER_CONFIG_DELEGATION_DELEGATE_H

#include "config/lists/domains.h"
#include "config/report/diagnostics.h"
#include "config/syntax/raw_section.h"
#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* A pattern of the key `files`. The folder is the administrator's word, and so are links in it; no
 * wildcard in it counts. */
struct delegate_pattern {
    struct raw_item raw; /* as written */
    const char *folder;  /* as seen from here, with a slash behind it; empty: the current one */
    const char *name;    /* of files in it; may have wildcards */
};

struct delegate {
    struct span name;
    const char *file; /* the main file; borrowed */
    int line;
    const struct delegate_pattern *patterns;
    size_t pattern_count;
    struct domains domains;
    size_t lists_max; /* of all its files */
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
 * about what is wrong with it. */
void delegates_add(struct delegates *delegates, const struct raw_section *raw,
                   struct diagnostics *diagnostics);

#endif
