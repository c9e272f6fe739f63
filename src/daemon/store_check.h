/*
 * store_check - does the store work? What is found is logged; nothing else depends on it
 */
#ifndef MLMILTER_DAEMON_STORE_CHECK_H
#define MLMILTER_DAEMON_STORE_CHECK_H

#include "config/settings.h"
#include "daemon/metrics.h"
#include "daemon/snapshot.h"

#include <stdbool.h>

/* For -n, as the user that the daemon will run as and without writing anything: warns about a store
 * that the settings need and that will not open. makes_directory: a start makes a directory that is
 * missing. */
void store_check(const struct settings *settings, bool makes_directory);

/* Main thread, at a start and a reload: opens the store of the settings in force if they need one
 * that is new, and may write (RULINGS 72). One that does not answer holds it up for three seconds
 * at most. */
void store_check_in_force(struct snapshot_store *snapshots, struct metrics *metrics);

#endif
