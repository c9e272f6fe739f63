/*
 * store_in_force - the store of posts that generations of settings have in common
 *
 * A reload that leaves the key `store` as it was goes on with the store that is
 * open; with another one the new store is made beside the old one, which is closed
 * with the last use of it.  Nobody waits for a store that is stuck (store_leave).
 * Main thread only, but for store_in_force_of and
 * store_in_force_set_last_moment.
 */
#ifndef MLMILTER_DAEMON_STORE_IN_FORCE_H
#define MLMILTER_DAEMON_STORE_IN_FORCE_H

#include "config/settings.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

struct store_in_force;

/* The store that settings need, one use of it: that of the settings before them (may be NULL) if it
 * is the same, else a new one that is not open yet. NULL: they need none, or it cannot be made,
 * which is logged. */
struct store_in_force *store_in_force_for(const struct settings *settings,
                                          struct store_in_force *before);

/* Ends one use; the last one closes it, when no message asks it any more, and waits for that at
 * most this many milliseconds. */
void store_in_force_release(struct store_in_force *in_force, unsigned milliseconds);

/* Opens it, unless that was tried before: a message that needs it opens it, too. NULL: nothing. 0,
 * or -1 with *error. Takes patience.store at most. */
int store_in_force_try(struct store_in_force *in_force, struct store_error *error);

/* store_set_last_moment. NULL: nothing. */
void store_in_force_set_last_moment(struct store_in_force *in_force, int64_t moment);

/* While it is used. NULL for NULL. */
struct store *store_in_force_of(const struct store_in_force *in_force);

/* Logs that the store of these settings fails, and what that means for their lists. */
void store_in_force_complain(const struct settings *settings, const char *severity, int priority,
                             const char *why);

/* For -n, as the user that the daemon will run as and without writing anything: warns about a store
 * that the settings need and that will not open. makes_directory: a start makes a directory that is
 * missing. */
void store_in_force_check(const struct settings *settings, bool makes_directory);

#endif
