/* Component by component, as the kernel goes: see path_trial.h. */
#include "ctl/doctor/path_trial.h"

#include "ctl/doctor/cure.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <unistd.h>

static enum path_stop try_one(const char *path, int mode)
{
    if (faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0)
        return PATH_FREE;
    if (errno == ENOENT)
        return PATH_MISSING;
    return errno == EACCES || errno == EROFS ? PATH_DENIED : PATH_FAILED;
}

enum path_stop path_trial(const char *path, int mode, struct strbuf *stop)
{
    enum path_stop found = PATH_FREE;
    for (const char *slash = path; found == PATH_FREE && (slash = strchr(slash, '/')) != NULL;
         slash++) {
        strbuf_reset(stop);
        strbuf_add(stop, path, slash == path ? 1 : (size_t)(slash - path));
        found = try_one(strbuf_str(stop), X_OK);
    }
    if (found == PATH_FREE) {
        strbuf_reset(stop);
        strbuf_add_str(stop, path);
        found = try_one(path, mode);
    }
    if (found == PATH_FREE)
        strbuf_reset(stop);
    return found;
}

static void add_group(struct strbuf *cure, gid_t gid)
{
    struct group *group = getgrgid(gid);
    if (group != NULL)
        cure_add_word(cure, group->gr_name);
    else
        strbuf_addf(cure, "%ld", (long)gid);
}

void path_trial_cure(struct strbuf *cure, const char *path, const char *stop, int mode,
                     const struct account *account)
{
    if (strcmp(path, stop) != 0) {
        strbuf_add_str(cure, "chmod o+x ");
    } else if ((mode & W_OK) != 0) {
        strbuf_addf(cure, "chown %s ", account->name);
    } else {
        strbuf_add_str(cure, "chgrp ");
        add_group(cure, account->gid);
        strbuf_add_char(cure, ' ');
        cure_add_word(cure, stop);
        strbuf_add_str(cure, " && chmod g+r ");
    }
    cure_add_word(cure, stop);
}
