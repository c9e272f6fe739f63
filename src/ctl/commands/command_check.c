/* mlmilterctl check: is the configuration right, and is it wise? */
#include "config/load.h"
#include "config/report/say.h"
#include "config/socket_fault.h"
#include "ctl/commands/commands.h"
#include "ctl/configuration.h"
#include "ctl/report.h"
#include "ctl/user.h"
#include "store/drivers.h"
#include "text/json.h"
#include "text/visible.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

static void add_counted(struct strbuf *out, size_t n, const char *what)
{
    if (n == 0)
        strbuf_addf(out, "no %ss", what);
    else
        strbuf_addf(out, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

/* "mlmilter.conf: 3 lists, no errors, 1 hint" */
static int say_summary(const char *path, size_t files, const struct settings *settings,
                       const struct diagnostics *diagnostics)
{
    struct strbuf line = STRBUF_INIT;
    if (files > 1)
        add_counted(&line, files, "file");
    else
        visible_add(&line, span_cstr(path));
    strbuf_add_str(&line, ": ");
    add_counted(&line, settings->index.count, "list");
    strbuf_add_str(&line, ", no errors, ");
    add_counted(&line, diagnostics->hints, "hint");
    strbuf_add_char(&line, '\n');
    return write_and_free(&line);
}

/* {"file":"...","line":3,"severity":"error","key":"post","text":"..."}; the text is all that stands
 * behind the key. */
static void add_json(struct strbuf *out, const struct diagnostic *item)
{
    struct span text = span_cstr(item->text);
    size_t colon = span_find(text, ':');
    strbuf_add_char(out, '{');
    json_add_text(out, "file", span_cstr(item->file));
    if (item->line > 0)
        json_add_number(out, "line", (uint64_t)item->line);
    json_add_text(out, "severity", span_cstr(item->severity == SEVERITY_HINT ? "hint" : "error"));
    if (item->delegate != NULL)
        json_add_text(out, "delegate", span_cstr(item->delegate));
    if (colon < text.n && span_find(text, ' ') == colon + 1) { /* say() puts a key so */
        json_add_text(out, "key", span_sub(text, 0, colon));
        text = span_sub(text, colon + 2, text.n);
    }
    json_add_text(out, "text", text);
    strbuf_add_str(out, "}\n");
}

/* All that was found in the order of the files, then {"lists":3,"errors":0,"hints":1}. */
static int write_json(const struct settings *settings, const struct diagnostics *diagnostics)
{
    struct strbuf out = STRBUF_INIT;
    for (size_t i = 0; i < diagnostics->count; i++)
        add_json(&out, &diagnostics->items[i]);
    strbuf_add_char(&out, '{');
    if (settings != NULL)
        json_add_number(&out, "lists", settings->index.count);
    json_add_number(&out, "errors", diagnostics->errors + diagnostics->delegated);
    json_add_number(&out, "hints", diagnostics->hints);
    strbuf_add_str(&out, "}\n");
    return write_and_free(&out);
}

/* Delegated files do not stop the daemon, but a check tells of them. */
static bool has_errors(const struct diagnostics *diagnostics)
{
    return diagnostics_has_errors(diagnostics) || diagnostics->delegated > 0;
}

/* Is a file or folder among the errors that somebody may not read? Who it is matters then. */
static bool has_denied(const struct diagnostics *diagnostics)
{
    for (size_t i = 0; i < diagnostics->count; i++)
        if (strstr(diagnostics->items[i].text, strerror(EACCES)) != NULL)
            return true;
    return false;
}

/* List files are checked with the keys of the main file where there is one. */
static const char *main_file(const struct invocation *invocation)
{
    if (invocation->config_is_given || access(invocation->config_path, F_OK) == 0)
        return invocation->config_path;
    return NULL;
}

/* Whom root is to read the files as; account->name is NULL when that makes no difference. */
/* True if the key `user` names no account of this host. */
static bool user_is_missing(const struct settings *settings)
{
    struct account account = {.name = NULL};
    bool is_missing = settings->user_is_set && account_find(settings->user, &account) > 0;
    account_free(&account);
    return is_missing;
}

static int find_user(const struct invocation *invocation, struct account *account)
{
    const struct settings_request request = {
        .path = invocation->config_path,
        .extent = SETTINGS_MAIN_FILE,
        .keys = KEYS_IF_READABLE,
    };
    struct diagnostics diagnostics;
    struct settings *settings;
    int status = EX_OK;
    account->name = NULL;
    if (geteuid() != 0)
        return EX_OK;
    diagnostics_init(&diagnostics);
    settings = settings_load(&request, &diagnostics);
    /* A main file that is wrong is told of later, with all others. */
    if (settings != NULL && !user_is_missing(settings))
        status = user_find(settings, account);
    settings_free(settings);
    diagnostics_free(&diagnostics);
    return status == EX_CONFIG ? EXIT_NO : status;
}

/* Reads everything as the daemon does: as its user, so that a file which he cannot read is found
 * now, not by the next reload. */
static int load_as_user(const struct invocation *invocation, struct diagnostics *diagnostics,
                        struct settings **settings)
{
    const struct settings_request request = {.path = invocation->config_path,
                                             .store_fault = store_url_fault};
    struct account account;
    int status = find_user(invocation, &account);
    if (status != EX_OK) {
        account_free(&account);
        return status;
    }
    if (account.name != NULL && privileges_borrow(&account) != 0) {
        report_error("the rights of user \"%s\" cannot be taken: %s", account.name,
                     strerror(errno));
        status = EX_OSERR;
    } else {
        *settings = settings_load(&request, diagnostics);
        if (account.name != NULL && privileges_return() != 0) {
            report_error("root's rights cannot be taken back: %s", strerror(errno));
            status = EX_OSERR;
        }
    }
    if (status == EX_OK && account.name != NULL && has_denied(diagnostics))
        report_error("the files are read as user \"%s\", as the daemon reads them", account.name);
    account_free(&account);
    return status;
}

/* A start needs it; but this may be another host than the daemon's. */
static void check_accounts(const char *path, const struct settings *settings,
                           struct diagnostics *diagnostics)
{
    struct span socket = span_cstr(settings->socket);
    gid_t ignored;
    if (settings->socket_group != NULL && socket_path(socket) < socket.n &&
        group_find(settings->socket_group, &ignored) > 0)
        say(diagnostics, SEVERITY_HINT, place_of(path, 0, schema[KEY_SOCKET_GROUP].name),
            span_cstr(settings->socket_group),
            "is no group of this host, without which the daemon does not start");
    if (geteuid() == 0 && user_is_missing(settings)) /* does not hide the rest: RULINGS 107 */
        say(diagnostics, SEVERITY_ERROR, place_of(path, 0, schema[KEY_USER].name),
            span_cstr(settings->user), "does not exist on this host (expected an account)");
}

/* The main file of the invocation with all that it names; or, if there are any, list files. */
static int check(const struct invocation *invocation, char *const *files, size_t count,
                 bool as_json)
{
    struct diagnostics diagnostics;
    struct settings *settings = NULL;
    int status = EX_OK;
    diagnostics_init(&diagnostics);
    if (count == 0)
        status = load_as_user(invocation, &diagnostics, &settings);
    else
        settings = settings_load_files(main_file(invocation), files, count, &diagnostics);
    if (count == 0 && settings != NULL)
        check_accounts(invocation->config_path, settings, &diagnostics);
    if (!as_json)
        configuration_report(&diagnostics, REPORT_ALL);
    else if (status == EX_OK)
        status = write_json(settings, &diagnostics);
    if (status == EX_OK && (settings == NULL || has_errors(&diagnostics)))
        status = EXIT_NO;
    if (status == EX_OK && !as_json) {
        status = say_summary(count == 0 ? invocation->config_path : files[0], count, settings,
                             &diagnostics);
    }
    settings_free(settings);
    diagnostics_free(&diagnostics);
    return status;
}

/* Each main file among them as with -c, and then the list files. files is changed. */
static int check_files(const struct invocation *invocation, char **files, size_t count,
                       bool as_json)
{
    size_t lists = 0;
    int worst = EX_OK;
    for (size_t i = 0; i < count; i++) {
        struct invocation its_own = *invocation;
        int status;
        if (!settings_is_main_file(files[i])) {
            files[lists++] = files[i];
            continue;
        }
        its_own.config_path = files[i];
        its_own.config_is_given = true;
        status = check(&its_own, NULL, 0, as_json);
        worst = status > worst ? status : worst;
    }
    if (lists > 0 || count == 0) {
        int status = check(invocation, files, lists, as_json);
        worst = status > worst ? status : worst;
    }
    return worst;
}

static int run_check(struct invocation *invocation, int argc, char **argv)
{
    bool as_json;
    int status = command_json(invocation, &as_json, argc, argv);
    if (status != EX_OK)
        return status;
    return check_files(invocation, argv + optind, (size_t)(argc - optind), as_json);
}

const struct command command_check = {
    "check", run_check,
    "  check [--json] [FILE...]\n"
    "          is the configuration right? With FILEs: are these? A list file has the defaults\n"
    "          of the main file\n"};
