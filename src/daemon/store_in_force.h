/*
 * store_in_force - a store that generations of settings share
 *
 * A reload with an unchanged key `store` keeps the open store.  With another URL it
 * creates a new store; the old one is closed after its last use.  No thread waits for
 * a stuck store (store_leave).  Main thread only, except store_in_force_of and
 * store_in_force_set_last_moment.
 */
#ifndef MLMILTER_DAEMON_STORE_IN_FORCE_H
#define MLMILTER_DAEMON_STORE_IN_FORCE_H

#include "config/settings.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

struct store_in_force;

/* Returns one use of the store of these settings: `before`, that of the previous settings or NULL,
 * if the URL is equal, else a new one that is not open yet. Returns NULL if they need none, or,
 * after a log line, if it cannot be created. */
struct store_in_force *store_in_force_for(const struct settings *settings,
                                          struct store_in_force *before);

/* Ends one use. The last one closes the store when no message asks it any longer, and waits for
 * that at most this many milliseconds. */
void store_in_force_release(struct store_in_force *in_force, unsigned milliseconds);

/* Opens the store, unless that was tried before; messages open it, too. NULL: does nothing. Takes
 * at most patience.store. Returns 0, or -1 with *error. */
int store_in_force_try(struct store_in_force *in_force, struct store_error *error);

/* Calls store_set_last_moment. NULL: does nothing. */
void store_in_force_set_last_moment(struct store_in_force *in_force, int64_t moment);

/* Returns the store, for as long as it is used. NULL for NULL. */
struct store *store_in_force_of(const struct store_in_force *in_force);

/* Logs that the store of these settings fails, and the consequences for their lists. */
void store_in_force_complain(const struct settings *settings, const char *severity, int priority,
                             const char *why);

/* Warns, for -n, about a store that the settings need and that will not open. Writes nothing; runs
 * as the user of the daemon. makes_directory: a start creates a missing directory. */
void store_in_force_check(const struct settings *settings, bool makes_directory);

#endif
