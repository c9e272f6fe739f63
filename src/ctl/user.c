/* Giving up root, and what cannot be written then: see user.h. */
#include "ctl/user.h"

#include "config/store_kinds.h"
#include "ctl/report.h"
#include "system/path_fault.h"

#include <errno.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

int user_find(const struct settings *settings, struct account *account)
{
    int found;
    memset(account, 0, sizeof *account);
    if (geteuid() != 0)
        return EX_OK;
    found = account_find(settings->user, account);
    if (found < 0) {
        report_error("user \"%s\" cannot be looked up: %s", settings->user, strerror(errno));
        return EX_OSERR;
    }
    if (found > 0 && settings->user_is_set) {
        report_error("user \"%s\" does not exist", settings->user);
        return EX_CONFIG;
    }
    if (found > 0)
        report_error("warning: user \"%s\" (the default) does not exist: going on as root",
                     settings->user);
    else if (account->uid == 0)
        account_free(account);
    return EX_OK;
}

int user_become(const struct settings *settings)
{
    struct account account;
    int status = user_find(settings, &account);
    if (status == EX_OK && account.name != NULL && privileges_drop(&account) != 0) {
        report_error("root's rights cannot be given up: %s", strerror(errno));
        status = EX_OSERR;
    }
    account_free(&account);
    return status;
}

bool store_is_unwritable(const struct settings *settings, struct strbuf *why)
{
    const char *path = settings->store + store_key_path(span_cstr(settings->store));
    const char *fault;
    if (*path == '\0')
        return false;
    fault = path_file_fault(path, false);
    if (fault != NULL)
        strbuf_addf(why, "the store %s %s by user id %ld: %s", path,
                    access(path, F_OK) != 0 && errno == ENOENT
                        ? "does not exist yet, and cannot be made"
                        : "cannot be written",
                    (long)geteuid(), fault);
    return fault != NULL;
}
