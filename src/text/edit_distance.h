/*
 * edit_distance - how far two names are apart, for "did you mean"
 *
 * Counted in octets to insert, delete or change (Levenshtein); ASCII letter case
 * aside.
 */
#ifndef MLMILTER_TEXT_EDIT_DISTANCE_H
#define MLMILTER_TEXT_EDIT_DISTANCE_H

#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* Longer names are near to no other. */
#define EDIT_NAME_MAX 255

/* The nearest name so far. */
struct edit_nearest {
    struct span name;    /* what was written */
    struct span nearest; /* .p is NULL: none is near */
    size_t distance;     /* of the nearest, or the largest that is near */
};

/* Begins the search for a name. A candidate may differ in at most a third of the letters. */
struct edit_nearest edit_nearest_to(struct span name);

/* Takes the candidate if it is nearer than those before it. */
void edit_nearest_try(struct edit_nearest *n, struct span candidate);

/* True if at most `most` edits are between them. */
bool edit_is_within(struct span a, struct span b, unsigned most);

#endif
