/*
 * store_check - would the store work? Asked without writing anything
 */
#ifndef MLMILTER_DAEMON_STORE_CHECK_H
#define MLMILTER_DAEMON_STORE_CHECK_H

#include "config/settings.h"

#include <stdbool.h>

/* As the user that the daemon will run as: warns about a store that the settings need and that will
 * not open. makes_directory: a start makes a directory that is missing. */
void store_check(const struct settings *settings, bool makes_directory);

#endif
