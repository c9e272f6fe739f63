/*
 * near_miss - what nearly made a message a list's
 *
 * For a person who asks why a post was left alone.  The daemon does not ask.
 */
#ifndef MLMILTER_CTL_NEAR_MISS_H
#define MLMILTER_CTL_NEAR_MISS_H

#include "plan/facts.h"
#include "plan/selection.h"
#include "text/arena.h"
#include "text/strbuf.h"

/* Appends lines, each a sentence about something that would have named a list, and what it lacks:
 * where no list was found, or a feed came from a client that is not trusted. Time: once through all
 * lists for each. */
void near_miss_add(struct strbuf *out, const struct facts *facts, const struct selection *selection,
                   struct arena *arena);

#endif
