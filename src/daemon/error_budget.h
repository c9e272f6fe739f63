/*
 * error_budget - at most ten lines a minute about the files of each delegate (RULINGS 87)
 *
 * With `watch` a delegate makes the daemon read as often as a file is saved, and what
 * is wrong with it is his to choose.  Pure but for its memory: the caller tells the
 * time, in milliseconds of a clock that only goes on.  One thread.
 */
#ifndef MLMILTER_DAEMON_ERROR_BUDGET_H
#define MLMILTER_DAEMON_ERROR_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ERROR_BUDGET_LINES  10
#define ERROR_BUDGET_PERIOD 60000 /* milliseconds */

struct error_budget_of;

/* All zero is a good start. */
struct error_budget {
    struct error_budget_of *delegates;
    size_t count;
    size_t capacity;
};

void error_budget_free(struct error_budget *budget);

/* May one more line about the delegate be logged? If not, it is counted. When out of
 * memory: no. */
bool error_budget_take(struct error_budget *budget, const char *delegate, int64_t now);

/* How long until there is something for error_budget_next; -1: nothing will be. */
int error_budget_wait(const struct error_budget *budget, int64_t now);

/* A delegate whose minute is over, with how many lines of it were not logged; NULL: none. The name
 * is valid until the budget is freed. */
const char *error_budget_next(struct error_budget *budget, int64_t now, size_t *lines);

#endif
