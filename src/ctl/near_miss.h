/*
 * near_miss - hints why a message matched no list
 */
#ifndef MLMILTER_CTL_NEAR_MISS_H
#define MLMILTER_CTL_NEAR_MISS_H

#include "plan/selection.h"
#include "text/arena.h"
#include "text/strbuf.h"

/* Appends a line for each property that nearly matched a list, if none was found or a feed came
 * from a client that is not trusted. Searches all lists for each line. */
void add_near_misses(struct strbuf *out, const struct facts *facts,
                     const struct selection *selection, struct arena *arena);

#endif
