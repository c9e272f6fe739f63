/*
 * edit_distance - the nearest name, for "did you mean"
 *
 * The distance of two names is the least number of bytes to insert, delete, change or transpose
 * with the next one, ASCII letter case aside.  Pure; any thread.
 */
#ifndef MLMILTER_TEXT_EDIT_DISTANCE_H
#define MLMILTER_TEXT_EDIT_DISTANCE_H

#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

#define EDIT_NAME_MAX 255 /* the longest name that is compared */

/* The nearest name so far. */
struct edit_nearest {
    struct span name;
    struct span nearest; /* p is NULL: none is near, or two are */
    size_t distance;     /* of `nearest`; before there is one, the limit */
};

/* Begins the search. A candidate's distance is at most a third of the name's length, or 1. A
 * candidate that adds at most half of the name's length at the end has the distance 1, too. */
struct edit_nearest edit_nearest_to(struct span name);

/* Takes the candidate if it is nearer than every earlier one, and has no other digits. Of two that
 * are equally near, neither is taken. */
void edit_nearest_try(struct edit_nearest *n, struct span candidate);

/* True if the distance is at most `most`. */
bool edit_is_within(struct span a, struct span b, unsigned most);

#endif
