/* start - see start.h */
#include "daemon/start.h"

#include "config/read/faults.h"
#include "config/store_kinds.h"
#include "daemon/listener.h"
#include "daemon/log.h"
#include "daemon/reload.h"
#include "daemon/starter.h"
#include "daemon/state_files.h"
#include "system/paths.h"
#include "system/privileges.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <syslog.h>
#include <unistd.h>

/* Changes neither the user nor owners: for a start without root. */
static const struct account no_account = {NULL, (uid_t)-1, (gid_t)-1};

static int log_system_error(const char *what)
{
    log_printf(LOG_ERR, "error: %s: %s", what, strerror(errno));
    return EX_OSERR;
}

static struct settings *read_main_file(const char *path)
{
    const struct settings_request request = {.path = path, .extent = SETTINGS_MAIN_FILE};
    return reload_read(&request);
}

/* Finds the account to become, if this is root. Returns 0, EX_CONFIG if there is none, or EX_OSERR;
 * logged. */
static int find_account(const struct settings *settings, bool check_only, struct account *account)
{
    int line = settings->user_line > 0 ? settings->user_line : 1;
    bool warns = check_only && settings->user_line == 0;
    int found = geteuid() == 0 ? account_find(settings->user, account) : 0;
    if (found < 0)
        return log_system_error("the user cannot be looked up");
    if (found == 0)
        return EX_OK;
    log_printf(warns ? LOG_WARNING : LOG_ERR,
               "%s: %s:%d: user: \"%s\"%s does not exist: create it (for example: useradd --system "
               "--no-create-home --shell /usr/sbin/nologin %s) or name another one",
               warns ? "warning" : "error", settings->path, line, settings->user,
               settings->user_line > 0 ? "" : " (the default)", settings->user);
    return EX_CONFIG;
}

/* Finds the group of a UNIX socket, if the key names one. Returns 0 or an exit status. */
static int find_socket_group(const struct settings *settings, const char *socket, gid_t *group)
{
    struct span text = span_cstr(socket);
    int found = 0;
    if (settings->socket_group != NULL && socket_path(text) < text.n)
        found = group_find(settings->socket_group, group);
    if (found < 0)
        return log_system_error("socket_group cannot be looked up");
    if (found > 0)
        log_printf(LOG_ERR, "error: socket_group: there is no group \"%s\"",
                   settings->socket_group);
    return found > 0 ? EX_CONFIG : EX_OK;
}

/* Becomes the account for good, if there is one. Returns 0 or an exit status. */
static int become(const struct account *account)
{
    if (account->name == NULL || privileges_drop(account) == 0)
        return EX_OK;
    log_printf(LOG_ERR, "error: cannot switch to user \"%s\": %s", account->name, strerror(errno));
    return EX_OSERR;
}

/* Logs as which user files with errors were read. */
static void log_reader(const struct account *account)
{
    if (account->name != NULL && account->uid != 0)
        log_printf(LOG_ERR,
                   "error: the files were read as user \"%s\", as they will be on each reload",
                   account->name);
}

/* ---- mlmilter -n ---- */

/* Checks as the user. Without one (found: EX_CONFIG) root checks the rest (RULINGS 107). */
static int check_all(const char *path, const struct account *account, int found)
{
    const struct settings_request request = {.path = path, .with_hints = true};
    struct settings *settings;
    gid_t group;
    int status = become(account);
    if (status != EX_OK)
        return status;
    settings = reload_read(&request);
    if (settings == NULL) {
        log_reader(account);
        return EX_CONFIG;
    }
    status = find_socket_group(settings, settings->socket, &group);
    if (status == EX_OK && found != EX_OK && settings->user_line > 0)
        status = EX_CONFIG;
    if (status == EX_OK)
        printf("%s: %zu list%s, ", path, settings->index.count,
               settings->index.count == 1 ? "" : "s");
    if (status == EX_OK && settings->delegated_wrong == 0)
        printf("no errors\n");
    else if (status == EX_OK)
        printf("errors in files of delegates: %zu\n", settings->delegated_wrong);
    settings_free(settings);
    return status;
}

int start_check(const struct options *options)
{
    struct account account = no_account;
    struct settings *main_file = geteuid() == 0 ? read_main_file(options->config_path) : NULL;
    int status = EX_OK;
    if (main_file == NULL && geteuid() == 0)
        return EX_CONFIG;
    if (main_file != NULL)
        status = find_account(main_file, true, &account);
    if (status != EX_OSERR)
        status = check_all(options->config_path, &account, status);
    settings_free(main_file);
    account_free(&account);
    return status;
}

/* ---- what only root may do ---- */

/* Creates the directory of a file if it is missing, as root. A failure is logged where the file is
 * opened. */
static void make_directory_of(const char *path, mode_t mode, const struct account *account)
{
    if (account->name != NULL && path != NULL)
        (void)path_make_directory(path, mode, account->uid, account->gid);
}

static int open_pid_file(const struct settings *settings, const struct options *options,
                         const struct account *account)
{
    const char *path = settings->pid_file, *error;
    pid_t holder = 0;
    int result;
    if (options->foreground && !settings->pid_file_is_set && !starter_is_manager())
        return EX_OK; /* started by hand: the folder of the default may be missing */
    make_directory_of(path, 0755, account);
    result = state_files_open(path, account->uid, &holder, &error);
    if (result == 0)
        return EX_OK;
    if (result > 0)
        log_printf(LOG_ERR, "error: %s: already running as pid %ld", path, (long)holder);
    else
        log_printf(LOG_ERR, "error: pid_file: %s: %s", path, error);
    return result > 0 ? EX_TEMPFAIL : EX_OSERR;
}

static int open_socket(const struct settings *settings, const struct options *options,
                       const struct account *account)
{
    const char *socket = options->socket != NULL ? options->socket : settings->socket;
    struct socket_access access = {settings->socket_mode, account->uid, account->gid};
    int status = find_socket_group(settings, socket, &access.group);
    if (status != EX_OK)
        return status;
    if (listener_set(socket) != 0)
        return log_system_error("socket");
    make_directory_of(listener_path(), 0755, account);
    return listener_open(&access) == 0 ? EX_OK : EX_OSERR;
}

static void warn_of_user(const struct settings *settings)
{
    struct account account = no_account;
    if (geteuid() == 0)
        log_line(LOG_WARNING, "warning: running as root, as the key \"user\" says");
    else if (settings->user_line > 0 && account_find(settings->user, &account) == 0 &&
             account.uid != geteuid())
        log_printf(LOG_WARNING, "warning: user \"%s\" has no effect: only root can become a user",
                   settings->user);
    account_free(&account);
}

/* Does what needs root, then gives root up. Hides memory last, as a change of user shows it to
 * processes of that user again. */
static int open_all(const struct settings *settings, const struct options *options,
                    const struct account *account)
{
    const char *store = settings->store + store_key_path(span_cstr(settings->store));
    int status = open_pid_file(settings, options, account);
    if (status == EX_OK)
        status = open_socket(settings, options, account);
    if (status != EX_OK)
        return status;
    make_directory_of(*store != '\0' ? store : NULL, 0750, account);
    make_directory_of(settings->metrics, 0755, account);
    status = become(account);
    if (status == EX_OK && privileges_hide_memory() != 0)
        status = log_system_error("core dumps cannot be turned off");
    warn_of_user(settings);
    return status;
}

/* ---- the start ---- */

/* Opens the files and the socket of the main file, becomes the account, and opens the log. Returns
 * 0 or an exit status. */
static int open_service(const struct settings *main_file, const struct options *options,
                        struct account *account)
{
    int status = find_account(main_file, false, account);
    if (status == EX_OK)
        status = open_all(main_file, options, account);
    if (status != EX_OK)
        return status;
    log_set_facility(main_file->syslog_facility);
    log_open(options->foreground ? LOG_TARGET_STDERR : LOG_TARGET_BOTH);
    return EX_OK;
}

/* Reads everything, and begins to serve. Returns 0 or an exit status. */
static int begin_service(const struct options *options, const struct account *account)
{
    int status = reload_first(options->config_path);
    if (status != EX_OK)
        log_reader(account);
    if (status == EX_OK && listener_start() != 0)
        status = EX_OSERR;
    if (status == EX_OK)
        reload_write_files(true);
    return status;
}

int start_service(const struct options *options)
{
    struct account account = no_account;
    struct settings *main_file = read_main_file(options->config_path);
    int status = main_file != NULL ? open_service(main_file, options, &account) : EX_CONFIG;
    settings_free(main_file); /* it may have many lists, and all are read again */
    if (status == EX_OK)
        status = begin_service(options, &account);
    account_free(&account);
    return status;
}
