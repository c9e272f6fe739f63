/*
 * told_numbers - the last number of each list that this process was told
 *
 * A store whose counter is lower lost numbers, and would give them again (SU-20): an older copy of
 * a database was put in its place.  For one thread.
 */
#ifndef MLMILTER_STORE_TOLD_NUMBERS_H
#define MLMILTER_STORE_TOLD_NUMBERS_H

#include "text/span.h"
#include "text/strmap.h"

#include <stdint.h>

struct told_number;

struct told_numbers {
    struct strmap by_list;
    struct told_number *first;
};

void told_numbers_init(struct told_numbers *told);
void told_numbers_free(struct told_numbers *told);

/* Returns the last number of a list, or 0. */
uint64_t told_numbers_get(const struct told_numbers *told, struct span list);

/* Sets the last number of a list, unless it is higher already. */
void told_numbers_raise(struct told_numbers *told, struct span list, uint64_t last);

#endif
