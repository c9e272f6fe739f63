/*
 * The steps of a start.  Only these are done as root, by a daemon that root starts: read the keys
 * for the daemon, make the run-time directory, the pid file, the socket, and the directories of
 * store and metrics.  Lists and the store are opened as the user, at the start as on each reload,
 * so that what the user may not read is found out now.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/start.h"

#include "config/socket_fault.h"
#include "config/store_kinds.h"
#include "daemon/log.h"
#include "daemon/reload.h"
#include "daemon/signals.h"
#include "daemon/store_in_force.h"
#include "milter/callbacks.h"
#include "store/store.h"
#include "system/path_fault.h"
#include "system/paths.h"
#include "system/privileges.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sysexits.h>
#include <syslog.h>
#include <unistd.h>

/* Enough for any MTA; more is a waste of the kernel's memory if something goes wrong. */
#define MOST_DESCRIPTORS 65536

static int system_error(const char *what)
{
    log_printf(LOG_ERR, "error: %s: %s", what, strerror(errno));
    return EX_OSERR;
}

/* Says what to do about a user that is not there. */
static void no_such_user(const struct settings *settings, const char *severity, int priority)
{
    log_printf(priority,
               "%s: user \"%s\"%s does not exist: create it (for example: useradd --system "
               "--no-create-home --shell /usr/sbin/nologin %s) or name another one with the key "
               "\"user\"",
               severity, settings->user, settings->user_is_set ? "" : " (the default)",
               settings->user);
}

/* Root learns from the main file whom to become. 0, EX_NOUSER (said), or another exit status. */
static int find_account(const char *config_path, bool check_only, struct account *account)
{
    const struct settings_request request = {.path = config_path, .extent = SETTINGS_MAIN_FILE};
    struct settings *settings = reload_load_once(&request, false);
    int result = EX_OK;
    int found;
    if (settings == NULL)
        return EX_CONFIG;
    found = account_find(settings->user, account);
    if (found < 0)
        result = system_error("the user cannot be looked up");
    else if (found > 0 && check_only && !settings->user_is_set)
        no_such_user(settings, "warning", LOG_WARNING);
    else if (found > 0) {
        no_such_user(settings, "error", LOG_ERR);
        result = EX_NOUSER;
    }
    settings_free(settings);
    return result;
}

/* Loads everything; as the account if there is one. *told is for reload_load; NULL:
 * there will be none, and hints are wanted. 0, or an exit status. */
static int load_as(const char *config_path, const struct account *account, struct strbuf *told,
                   struct settings **settings)
{
    const struct settings_request request = {.path = config_path};
    bool news;
    *settings = NULL;
    if (account->name != NULL && privileges_borrow(account) != 0)
        return system_error("the user's rights cannot be taken");
    *settings =
        told != NULL ? reload_load(&request, told, &news, NULL) : reload_load_once(&request, true);
    if (account->name != NULL && privileges_return() != 0)
        return system_error("root's rights cannot be taken back");
    if (*settings == NULL && account->name != NULL && account->uid != 0)
        log_printf(LOG_ERR,
                   "error: the files were read as user \"%s\", as they will be on each reload",
                   account->name);
    return *settings == NULL ? EX_CONFIG : EX_OK;
}

static int find_socket_group(const char *name, gid_t *group)
{
    int found = group_find(name, group);
    if (found == 0)
        return EX_OK;
    if (found < 0)
        return system_error("socket_group cannot be looked up");
    log_printf(LOG_ERR, "error: socket_group: there is no group \"%s\"", name);
    return EX_CONFIG;
}

/* What a start needs besides the files. 0, or an exit status. */
static int check_socket_group(const struct settings *settings)
{
    struct span socket = span_cstr(settings->socket);
    gid_t ignored;
    if (settings->socket_group == NULL || socket_path(socket) == socket.n)
        return EX_OK;
    return find_socket_group(settings->socket_group, &ignored);
}

static void check_metrics(const struct settings *settings, bool makes_directory)
{
    const char *fault =
        settings->metrics != NULL ? path_directory_fault(settings->metrics, makes_directory) : NULL;
    if (fault != NULL)
        log_printf(LOG_WARNING, "warning: metrics \"%s\": %s", settings->metrics, fault);
}

/* Nothing else is to be done as root. 0, or an exit status. */
static int check_written_files(const struct settings *settings, const struct account *account)
{
    bool is_root = account->name != NULL;
    if (!settings->needs_store && settings->metrics == NULL)
        return EX_OK;
    if (is_root && privileges_drop(account) != 0)
        return system_error("root's rights cannot be given up");
    store_in_force_check(settings, is_root);
    check_metrics(settings, is_root);
    return EX_OK;
}

int start_check(const struct options *options)
{
    struct account account = {NULL, 0, 0};
    struct settings *settings;
    int found = EX_OK, status;
    if (geteuid() == 0)
        found = find_account(options->config_path, true, &account);
    if (found != EX_OK && found != EX_NOUSER)
        return found;
    /* Where the user is missing, root looks for what else is wrong (RULINGS 107). */
    status = load_as(options->config_path, &account, NULL, &settings);
    if (status == EX_OK)
        status = check_socket_group(settings);
    if (status == EX_OK && found == EX_NOUSER)
        status = EX_CONFIG;
    if (status == EX_OK)
        status = check_written_files(settings, &account);
    if (status == EX_OK)
        printf("%s: %zu list%s, no errors\n", options->config_path, settings->index.count,
               settings->index.count == 1 ? "" : "s");
    settings_free(settings);
    account_free(&account);
    return status;
}

/* As root, and if it is missing. What lies in it will say so again where it is needed. */
static void make_directory_of(const char *path, mode_t mode, const struct account *account)
{
    struct strbuf why = STRBUF_INIT;
    if (path_make_directory(path, mode, account->uid, account->gid, &why) != 0)
        log_printf(LOG_WARNING, "warning: the directory of %s cannot be made: %s", path,
                   strbuf_str(&why));
    strbuf_free(&why);
}

static int open_pid_file(struct service *service, const struct account *account)
{
    char *path = path_absolute(service->keys.pid_file);
    const char *error = NULL;
    pid_t holder = 0;
    int result;
    if (path == NULL)
        return system_error("pid_file");
    if (account->name != NULL)
        make_directory_of(path, 0755, account);
    result = pid_file_open(&service->pid_file, path,
                           account->name != NULL ? account->uid : geteuid(), &holder, &error);
    if (result == 0) {
        status_file_use(&service->status_file, path);
        return EX_OK;
    }
    if (result > 0) {
        log_printf(LOG_ERR, "error: %s: already running as pid %ld", path, (long)holder);
        free(path);
        return EX_TEMPFAIL;
    }
    log_printf(LOG_ERR, "error: pid_file: %s: %s", path, error);
    free(path);
    return EX_OSERR;
}

/* The owner and group of the socket. 0, or an exit status. */
static int find_access(const struct start_keys *keys, const struct account *account,
                       struct socket_access *access)
{
    access->mode = keys->socket_mode;
    access->owner = account->name != NULL ? account->uid : (uid_t)-1;
    access->group = account->name != NULL ? account->gid : (gid_t)-1;
    if (keys->socket_group == NULL)
        return EX_OK;
    return find_socket_group(keys->socket_group, &access->group);
}

static int open_socket(struct service *service, const struct options *options,
                       const struct account *account)
{
    const char *socket = options->socket != NULL ? options->socket : service->keys.socket;
    struct socket_access access;
    int status;
    if (listener_set(&service->listener, socket) != 0)
        return system_error("socket");
    if (callbacks_register(&service->host) != 0)
        return system_error("libmilter does not take the filter");
    if (service->listener.path == NULL) {
        access = (struct socket_access){0777, (uid_t)-1, (gid_t)-1};
    } else {
        status = find_access(&service->keys, account, &access);
        if (status != EX_OK)
            return status;
        if (account->name != NULL)
            make_directory_of(service->listener.path, 0755, account);
    }
    return listener_open(&service->listener, &access) == 0 ? EX_OK : EX_OSERR;
}

/* Each connection of an MTA is a descriptor. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= MOST_DESCRIPTORS)
        return;
    limit.rlim_cur = limit.rlim_max < MOST_DESCRIPTORS ? limit.rlim_max : MOST_DESCRIPTORS;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        log_printf(LOG_WARNING, "warning: the limit of open files cannot be raised: %s",
                   strerror(errno));
}

/* For a database of SQLite that the user could not make there. */
static void make_store_directory(struct service *service, const struct account *account)
{
    struct held_settings held = settings_in_force_acquire(&service->in_force);
    const char *url = held.settings->store;
    const char *path = url + store_key_path(span_cstr(url));
    if (held.settings->needs_store && *path != '\0')
        make_directory_of(path, 0750, account);
    settings_in_force_release(&service->in_force, held);
}

/* Others read the metrics, so they may enter; the store's directory is not for them. */
static void make_metrics_directory(struct service *service, const struct account *account)
{
    struct held_settings held = settings_in_force_acquire(&service->in_force);
    const char *path = held.settings->metrics;
    if (path != NULL)
        make_directory_of(path, 0755, account);
    settings_in_force_release(&service->in_force, held);
}

/* What root has to do, in the order in which it can be undone least; at the end nothing of root is
 * left. */
static int open_all(struct service *service, const struct options *options,
                    const struct account *account)
{
    int status = open_pid_file(service, account);
    if (status == EX_OK)
        status = open_socket(service, options, account);
    if (status != EX_OK)
        return status;
    raise_descriptor_limit();
    if (account->name == NULL)
        return EX_OK;
    make_store_directory(service, account);
    make_metrics_directory(service, account);
    if (privileges_drop(account) != 0)
        return system_error("root's rights cannot be given up");
    /* To change one's user resets that. */
    if (privileges_hide_memory() != 0)
        return system_error("core dumps cannot be turned off");
    if (account->uid == 0)
        log_line(LOG_WARNING, "warning: running as root, as the key \"user\" says");
    return EX_OK;
}

/* Not started as root, a daemon stays who it is: what the key says is worth a word then. */
static void warn_of_other_user(const struct settings *settings)
{
    struct account account = {NULL, 0, 0};
    if (settings->user_is_set && account_find(settings->user, &account) == 0 &&
        account.uid != geteuid())
        log_printf(
            LOG_WARNING,
            "warning: user \"%s\" has no effect: only root can become another user, and this "
            "was started by user id %ld",
            settings->user, (long)geteuid());
    account_free(&account);
}

/* Loads the settings and publishes them. 0, or an exit status. */
static int load(struct service *service, const struct options *options,
                const struct account *account)
{
    struct settings *settings;
    int status;
    status_file_begin_load(&service->status_file);
    status = load_as(service->config_path, account, &service->told, &settings);
    status_file_end_load(&service->status_file, status == EX_OK);
    if (status == EX_OK && account->name == NULL)
        warn_of_other_user(settings);
    if (status != EX_OK) {
        settings_free(settings);
        return status;
    }
    start_keys_copy(&service->keys, settings);
    reload_publish(service, settings);
    log_open(options->foreground ? LOG_TARGET_STDERR : LOG_TARGET_BOTH,
             service->keys.syslog_facility);
    return EX_OK;
}

int start_service(struct service *service, const struct options *options)
{
    struct account account = {NULL, 0, 0};
    int status = EX_OK;
    /* First: a program that sees the pid file or the socket may send a signal. */
    if (signals_init() != 0)
        return system_error("signals");
    notify_open(&service->notify);
    if (privileges_hide_memory() != 0)
        return system_error("core dumps cannot be turned off");
    service->config_path = path_absolute(options->config_path);
    if (service->config_path == NULL)
        return system_error(options->config_path);
    if (geteuid() == 0)
        status = find_account(service->config_path, false, &account);
    if (status == EX_NOUSER)
        status = EX_CONFIG;
    if (status == EX_OK)
        status = load(service, options, &account);
    if (status == EX_OK)
        status = open_all(service, options, &account);
    if (status == EX_OK)
        reload_try_store(service);
    if (status == EX_OK && listener_start(&service->listener, signals_wake) != 0)
        status = EX_OSERR;
    if (status == EX_OK)
        metrics_file_write(&service->metrics_file, &service->metrics);
    if (status == EX_OK)
        reload_write_status(service);
    account_free(&account);
    return status;
}
