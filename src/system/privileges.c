/* Users, groups, and giving up what only the start needs. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "system/privileges.h"

#include "text/memory.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#else
#include <sys/resource.h>
#endif

int account_find(const char *name, struct account *account)
{
    struct passwd *pw;
    memset(account, 0, sizeof *account);
    errno = 0;
    pw = getpwnam(name);
    if (pw == NULL)
        /* What "not found" leaves in errno differs from system to system. */
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

/* The groups to go back to. One borrower at a time, before there are threads. */
static gid_t *saved_groups;
static int saved_count;

int privileges_borrow(const struct account *account)
{
    saved_count = getgroups(0, NULL);
    if (saved_count < 0)
        return -1;
    saved_groups = memory_new((size_t)saved_count + 1, sizeof *saved_groups);
    saved_count = getgroups(saved_count, saved_groups);
    if (saved_count >= 0 && initgroups(account->name, account->gid) == 0 &&
        setegid(account->gid) == 0 && seteuid(account->uid) == 0)
        return 0;
    (void)privileges_return();
    return -1;
}

int privileges_return(void)
{
    int result = seteuid(0) == 0 && setegid(getgid()) == 0 &&
                         (saved_count < 0 || setgroups((size_t)saved_count, saved_groups) == 0)
                     ? 0
                     : -1;
    free(saved_groups);
    saved_groups = NULL;
    return result;
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
#ifdef __linux__
    /* A limit of 0 would not keep the kernel from piping a core to a program (core(5)). */
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#else
    const struct rlimit none = {0, 0};

    return setrlimit(RLIMIT_CORE, &none);
#endif
}
