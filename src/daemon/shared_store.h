/*
 * shared_store - the store of posts that generations of settings have in common
 *
 * A reload that leaves the key `store` as it was goes on with the store that is
 * open; with another one the new store is made beside the old one, which is closed
 * with the last use of it.  Nobody waits for a store that is stuck (store_leave).
 * Main thread only, but for shared_store_of, shared_store_release and
 * shared_store_complain.
 */
#ifndef MLMILTER_DAEMON_SHARED_STORE_H
#define MLMILTER_DAEMON_SHARED_STORE_H

#include "config/settings.h"
#include "store/store.h"

#include <stddef.h>

struct shared_store;

/* The store that settings need, one use of it: that of the generation in force (may be NULL) if it
 * is the same, else a new one that is not open yet. NULL: they need none, or it cannot be made,
 * which is logged. */
struct shared_store *shared_store_for(const struct settings *settings,
                                      struct shared_store *in_force);

/* Ends one use; the last one closes it, when no message asks it any more, and waits for that at
 * most this many milliseconds. */
void shared_store_release(struct shared_store *shared, unsigned milliseconds);

/* Opens it, unless that was tried before: a message that needs it opens it, too. NULL: nothing. 0,
 * or -1 with *error. Takes three seconds at most. */
int shared_store_try(struct shared_store *shared, struct store_error *error);

/* store_set_last_moment. NULL: nothing. */
void shared_store_set_last_moment(struct shared_store *shared, int64_t moment);

/* While it is used. NULL for NULL. */
struct store *shared_store_of(const struct shared_store *shared);

/* How many lists a store that fails means something to (on_store_failure). */
struct store_effect {
    size_t deferred;
    size_t unnumbered;
};

struct store_effect shared_store_effect(const struct settings *settings);

/* Logs that a store fails and what that means. */
void shared_store_complain(const char *url, struct store_effect effect, const char *severity,
                           int priority, const char *why);

#endif
