/*
 * floors - the last number of each list that this process was told
 *
 * A store whose counter is lower lost numbers, and would give them again (SU-20): an older copy of
 * a database was put in its place.  For one thread.
 */
#ifndef MLMILTER_STORE_FLOORS_H
#define MLMILTER_STORE_FLOORS_H

#include "text/span.h"
#include "text/strmap.h"

#include <stdint.h>

struct floor;

struct floors {
    struct strmap by_list;
    struct floor *first;
};

void floors_init(struct floors *floors);
void floors_free(struct floors *floors);

/* 0 if nothing is known. */
uint64_t floors_get(const struct floors *floors, struct span list);

/* Makes room for a list, so that it can be raised. 0; -1: memory is out. */
int floors_reserve(struct floors *floors, struct span list);

/* Never lowers; nothing happens to a list without room. */
void floors_raise(struct floors *floors, struct span list, uint64_t last);

#endif
