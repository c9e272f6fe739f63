/*
 * drivers - the store of a URL: which kinds of stores there are, and which are built in
 *
 * The drivers do not know this file.
 */
#ifndef MLMILTER_STORE_DRIVERS_H
#define MLMILTER_STORE_DRIVERS_H

#include "store/store.h"

#include <stddef.h>

/* Checks a URL of the key `store`: its form, and whether its kind is built in. Returns NULL, or the
 * error as a phrase after the key or the value, without parts that may be secret. The phrase is in
 * room or in static storage. */
const char *store_url_fault(struct span url, char *room, size_t size);

/* Returns the store of a URL, or NULL with *error if the URL is wrong. Nothing is opened yet.
 * "sqlite:PATH", "postgresql:CONNINFO", and for tests "memory:" and "failing:". */
struct store *store_new(const char *url, struct store_error *error);

#endif
