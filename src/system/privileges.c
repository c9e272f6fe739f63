/* privileges - see privileges.h */
#include "system/privileges.h"

#include "text/memory.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int account_find(const char *name, struct account *account)
{
    struct passwd *pw;
    memset(account, 0, sizeof *account);
    errno = 0;
    pw = getpwnam(name);
    if (pw == NULL)
        /* Systems differ in the errno of "not found". */
        return errno == ENOMEM || errno == EMFILE || errno == ENFILE || errno == EIO ? -1 : 1;
    account->name = memory_copy(name);
    account->uid = pw->pw_uid;
    account->gid = pw->pw_gid;
    return 0;
}

void account_free(struct account *account)
{
    free(account->name);
    account->name = NULL;
}

int group_find(const char *name, gid_t *gid)
{
    struct group *group;
    errno = 0;
    group = getgrnam(name);
    if (group == NULL)
        return errno == ENOMEM || errno == EMFILE || errno == ENFILE || errno == EIO ? -1 : 1;
    *gid = group->gr_gid;
    return 0;
}

int privileges_drop(const struct account *account)
{
    if (initgroups(account->name, account->gid) != 0 ||
        setresgid(account->gid, account->gid, account->gid) != 0 ||
        setresuid(account->uid, account->uid, account->uid) != 0)
        return -1;
    if (account->uid != 0 && (setuid(0) == 0 || seteuid(0) == 0 || getuid() != account->uid)) {
        errno = EPERM;
        return -1;
    }
    return 0;
}

int privileges_hide_memory(void)
{
    /* A limit of 0 would not keep the kernel from piping a core to a program (core(5)). */
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
