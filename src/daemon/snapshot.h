/*
 * snapshot - settings and their store, for the messages that begin while they are in force
 *
 * A message holds the snapshot of its beginning until it ends.  A reload publishes a new one.  The
 * last message that holds an old snapshot frees it.  Successive snapshots with one URL share their
 * store.  Any thread, except where "main thread" is said.
 */
#ifndef MLMILTER_DAEMON_SNAPSHOT_H
#define MLMILTER_DAEMON_SNAPSHOT_H

#include "config/settings.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

struct snapshot {
    struct settings *settings;
    struct store *store; /* NULL: not needed, or could not be created */
    unsigned generation; /* 1 for the first */
    int64_t published;   /* when, in seconds since 1970 */

    size_t holds; /* of messages, and one while it is in force; for snapshot.c */
};

/* Takes settings over and puts them in force. Opens a new store, unless dry_run (RULINGS 72), and
 * logs a failure; takes at most timeouts.store. Main thread. */
void snapshot_publish(struct settings *settings);

/* Returns the snapshot in force until snapshot_release, or NULL while the program stops. */
struct snapshot *snapshot_hold(void);
void snapshot_release(struct snapshot *snapshot);

/* Returns the snapshot in force until the next is published, or NULL before the first. Main
 * thread. */
const struct snapshot *snapshot_in_force(void);

/* Sets *news of the store in force; is_created is that of any store since the start, and is logged
 * once. Main thread. */
void snapshot_store_news(struct store_news *news);

/* Returns how many old snapshots messages hold. Main thread, after the first is published. */
size_t snapshot_count_old(void);

/* Permits no more holds, and waits until none is left, at most so many milliseconds. True if none
 * is left; then the store is closed, too. Main thread. */
bool snapshot_stop(unsigned milliseconds);

#endif
