/*
 * tally - what a message adds to the host's counts
 *
 * Counted is what was done, not what was decided: with dry_run nothing is refused,
 * removed or added (RULINGS 72).
 */
#ifndef MLMILTER_MILTER_TALLY_H
#define MLMILTER_MILTER_TALLY_H

#include "milter/host.h"
#include "plan/decide.h"

#include <stdbool.h>

void tally_one(const struct milter_host *host, enum host_count what);

/* A message of no list of ours. */
void tally_not_ours(const struct milter_host *host, bool early);

/* A message of a list of ours that was decided about, and the decision was carried out. */
void tally_done(const struct milter_host *host, const struct decided *d, bool dry_run);

/* A message that was not decided about (ROLE_NONE), or whose decision was not carried out, because
 * of an error or of a stop; why it was refused, if it was. */
void tally_not_done(const struct milter_host *host, enum role role, bool accepted,
                    enum host_count why);

#endif
