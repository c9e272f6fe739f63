/*
 * privileges - from root to the configured user, for good
 */
#ifndef MLMILTER_SYSTEM_PRIVILEGES_H
#define MLMILTER_SYSTEM_PRIVILEGES_H

#include <sys/types.h>

struct account {
    char *name; /* owned */
    uid_t uid;
    gid_t gid;
};

/* Looks a user up. 0; 1: there is none; -1: the look-up failed (errno). */
int account_find(const char *name, struct account *account);
void account_free(struct account *account);

/* Looks a group up. Returns as account_find. */
int group_find(const char *name, gid_t *gid);

/* Root takes the effective ids and groups of the account, and gives them back. 0 or -1 with errno.
 * One thread only. */
int privileges_borrow(const struct account *account);
int privileges_return(void);

/* Becomes the account so that there is no way back, and makes sure of that. 0 or -1 with errno. */
int privileges_drop(const struct account *account);

/* No core dump of this process, and no look into its memory by others of its user: it holds keys. A
 * change of user can undo that. 0 or -1 with errno. */
int privileges_hide_memory(void);

#endif
