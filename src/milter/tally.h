/*
 * tally - adds a message to the host's counters
 *
 * Actions count, not decisions: with dry_run nothing is refused, removed or added
 * (RULINGS 72).
 */
#ifndef MLMILTER_MILTER_TALLY_H
#define MLMILTER_MILTER_TALLY_H

#include "milter/host.h"
#include "plan/decide.h"

#include <stdbool.h>

void tally_one(const struct milter_host *host, enum host_count what);

/* Counts a message of no list. early: at DATA. */
void tally_not_ours(const struct milter_host *host, bool early);

/* Counts a message of a list whose decision was carried out. */
void tally_done(const struct milter_host *host, const struct decided *d, bool dry_run);

/* Counts a message that was not decided (ROLE_NONE), or whose decision was not carried out, because
 * of an error or a stop. why: the reason of its refusal, unless accepted. */
void tally_not_done(const struct milter_host *host, enum role role, bool accepted,
                    enum host_count why);

#endif
