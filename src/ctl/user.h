/*
 * user - root becomes the daemon's user
 *
 * The daemon could not open a file that root creates for the store, and root can read files that
 * the daemon cannot.
 */
#ifndef MLMILTER_CTL_USER_H
#define MLMILTER_CTL_USER_H

#include "config/settings.h"
#include "system/privileges.h"
#include "text/strbuf.h"

#include <stdbool.h>

/* Finds the account to become, for account_free. Its name is NULL if the process is not root, the
 * user is root, or the default user does not exist (which is reported). Returns EX_OK, or after a
 * message EX_CONFIG or EX_OSERR. */
int user_find(const struct settings *settings, struct account *account);

/* Becomes that account for good. Returns as user_find. */
int user_become(const struct settings *settings);

/* True if this user cannot write or create the store's file; appends the reason. For a command that
 * only reads: to it, a file that does not exist is an empty store. */
bool store_is_unwritable(const struct settings *settings, struct strbuf *why);

#endif
