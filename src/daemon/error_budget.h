/*
 * error_budget - at most ten lines a minute about the files of all delegates (RULINGS 98)
 *
 * With `watch` a delegate makes the daemon read as often as a file is saved, and
 * chooses what is wrong with it.  Pure: the caller gives the time, in milliseconds
 * of a clock that only goes on.  One thread.
 */
#ifndef MLMILTER_DAEMON_ERROR_BUDGET_H
#define MLMILTER_DAEMON_ERROR_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ERROR_BUDGET_LINES  10
#define ERROR_BUDGET_PERIOD 60000 /* milliseconds */

/* All zero is a good start. */
struct error_budget {
    int64_t begin;   /* of the minute */
    unsigned logged; /* lines in it */
    size_t left_out; /* lines that were counted only */
};

/* True if one more line may be logged. Else the line is counted. */
bool error_budget_take(struct error_budget *budget, int64_t now);

/* Returns the time until error_budget_end has lines to report, or -1 if there are none. */
int error_budget_wait(const struct error_budget *budget, int64_t now);

/* Ends a minute that is over. Returns the number of lines that were left out in it; the line that
 * reports them is the first of the next minute. 0 if there is nothing to report yet. */
size_t error_budget_end(struct error_budget *budget, int64_t now);

#endif
