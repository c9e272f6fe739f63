/*
 * watch - notices changes in the folders of the configuration (the key `watch`)
 *
 * The folders are those of the settings in force.  Folders that are created later, and changes
 * behind a symbolic link, need a SIGHUP.  Main thread.
 */
#ifndef MLMILTER_DAEMON_WATCH_H
#define MLMILTER_DAEMON_WATCH_H

#include "config/settings.h"

#include <stdbool.h>
#include <stdint.h>

/* Watches the folders of these settings from now on, or none if `watch` is off. logs: also logs
 * those that cannot be watched. */
void watch_folders_of(const struct settings *settings, bool logs);

/* Returns the descriptor that can be read after a change, or -1. */
int watch_descriptor(void);

/* Notes changes that have come. */
void watch_read(void);

/* Returns the milliseconds until the files should be read again, or -1 without a change. Several
 * changes in a row count as one. */
int watch_wait(void);

/* Returns the milliseconds since the first change that no load has seen; there is one. */
int64_t watch_age(void);

/* Forgets changes noted before a load began, at this moment of monotonic_now. Delays the next load,
 * so that loads take a fifth of the time at most. */
void watch_loaded(int64_t begin);

#endif
