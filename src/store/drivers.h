/*
 * drivers - the store of a URL: which kinds of stores there are, and which are built in
 *
 * Stands above the rooms of the drivers, which do not know it.
 */
#ifndef MLMILTER_STORE_DRIVERS_H
#define MLMILTER_STORE_DRIVERS_H

#include "store/store.h"

#include <stddef.h>

/* Is a store of this kind built in, and its URL right? url is as the key `store` has it. NULL: yes.
 * Else what is missing or wrong, as a phrase behind the key or the value, without any part of the
 * value that may be secret; in room or in static storage. */
const char *store_url_fault(struct span url, char *room, size_t size);

/* Returns the store of a URL, or NULL with *error if the URL is wrong. Nothing is opened yet.
 * "sqlite:PATH", "postgresql:CONNINFO", and for tests "memory:" and "failing:". */
struct store *store_new(const char *url, struct store_error *error);

#endif
