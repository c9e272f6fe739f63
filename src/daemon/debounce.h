/*
 * debounce - many changes in a row as one
 *
 * Pure: the caller tells the time, in milliseconds of a clock that only goes on.
 */
#ifndef MLMILTER_DAEMON_DEBOUNCE_H
#define MLMILTER_DAEMON_DEBOUNCE_H

#include <stdbool.h>
#include <stdint.h>

#define DEBOUNCE_QUIET 150 /* without a change */
#define DEBOUNCE_MOST  700 /* since the first change, quiet or not */

/* What follows a change gets at most one part in this many of the time, so that a program which
 * changes something all the time cannot keep a processor busy. */
#define DEBOUNCE_SHARE 5

/* All zero is a good start. */
struct debounce {
    bool waiting;
    int64_t first, last; /* changes that were not looked after yet */
    int64_t rest_until;
};

void debounce_note(struct debounce *debounce, int64_t now);

/* How long to wait; 0: it is time; -1: nothing has changed. */
int debounce_wait(const struct debounce *debounce, int64_t now);

/* What has changed is being looked after. */
void debounce_clear(struct debounce *debounce);

/* Looking after it took from `begin` to now. */
void debounce_rest(struct debounce *debounce, int64_t begin, int64_t now);

#endif
