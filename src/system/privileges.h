/*
 * privileges - accounts, and the change from root to the configured user
 */
#ifndef MLMILTER_SYSTEM_PRIVILEGES_H
#define MLMILTER_SYSTEM_PRIVILEGES_H

#include <sys/types.h>

struct account {
    char *name; /* owned */
    uid_t uid;
    gid_t gid;
};

/* Looks up a user. Returns 0; 1 if it does not exist; -1 with errno if the look-up failed. */
int account_find(const char *name, struct account *account);
void account_free(struct account *account);

/* Looks up a group. Returns 0; 1 if it does not exist; -1 with errno if the look-up failed. */
int group_find(const char *name, gid_t *gid);

/* Becomes the account for good, and checks that root cannot be regained. Returns 0, or -1 with
 * errno. */
int privileges_drop(const struct account *account);

/* Prevents core dumps and access to memory by processes of the same user, as it holds keys. A
 * change of user can undo that. Returns 0, or -1 with errno. */
int privileges_hide_memory(void);

#endif
