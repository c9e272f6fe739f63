/*
 * shared_store - the store of posts that generations of settings have in common
 *
 * A reload that leaves the key `store` as it was goes on with the store that is
 * open; with another one the new store is made beside the old one, which is closed
 * with the last generation that uses it.  Main thread only, but for
 * shared_store_of.
 */
#ifndef MLMILTER_DAEMON_SHARED_STORE_H
#define MLMILTER_DAEMON_SHARED_STORE_H

#include "config/settings.h"
#include "store/store.h"

#include <stdbool.h>

struct shared_store;

/* The store that settings need, one use of it: that of the generation in force (may be NULL) if it
 * is the same, else a new one that is not open yet. NULL: they need none, or it cannot be made,
 * which is logged. */
struct shared_store *shared_store_for(const struct settings *settings,
                                      struct shared_store *in_force);

/* Ends one use; the last one closes it, when no message asks it any more. */
void shared_store_release(struct shared_store *shared);

/* Any thread, while it is used. NULL for NULL. */
struct store *shared_store_of(const struct shared_store *shared);

/* Logs that the store of the settings fails and what that means for their lists. */
void shared_store_complain(const struct settings *settings, const char *severity, int priority,
                           const char *why);

#endif
