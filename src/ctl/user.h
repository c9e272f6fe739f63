/*
 * user - root becomes whom the configuration names
 *
 * What root writes into the store's directory, the daemon could not open later;
 * and what root can read says nothing about what the daemon can.
 */
#ifndef MLMILTER_CTL_USER_H
#define MLMILTER_CTL_USER_H

#include "config/settings.h"
#include "system/privileges.h"
#include "text/strbuf.h"

#include <stdbool.h>

/* The account to become; account->name is NULL when there is none: we are not root, the user is
 * root, or the default user does not exist (which is said). The caller frees the account. EX_OK, or
 * after a message EX_CONFIG or EX_OSERR. */
int user_find(const struct settings *settings, struct account *account);

/* Becomes that account for good. Returns as user_find. */
int user_become(const struct settings *settings);

/* For a command that only looks at a store: is it in a file that this user could neither write nor
 * make? Then why not is appended. A file that is not there is like an empty store, and so the look
 * itself finds no fault. */
bool store_is_unwritable(const struct settings *settings, struct strbuf *why);

#endif
