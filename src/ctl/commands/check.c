/* mlmilterctl check: finds errors of the configuration, and prints hints. */
#include "config/load.h"
#include "config/report/say.h"
#include "config/socket_fault.h"
#include "ctl/commands/commands.h"
#include "ctl/load.h"
#include "ctl/output.h"
#include "store/url.h"
#include "text/json.h"
#include "text/memory.h"
#include "text/visible.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
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
static int print_summary(const char *path, size_t files, const struct settings *settings,
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
    return print_and_free(&line, EX_OK);
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

/* Prints all that was found in the order of the files, then
 * {"lists":3,"fingerprint":"...","errors":0,"hints":1}. */
static int print_json(const struct settings *settings, const struct diagnostics *diagnostics)
{
    struct strbuf out = STRBUF_INIT, digits = STRBUF_INIT;
    for (size_t i = 0; i < diagnostics->count; i++)
        add_json(&out, &diagnostics->items[i]);
    strbuf_add_char(&out, '{');
    if (settings != NULL) {
        json_add_number(&out, "lists", settings->index.count);
        fingerprint_format(&settings->fingerprint, &digits);
        json_add_text(&out, "fingerprint", strbuf_span(&digits));
    }
    json_add_number(&out, "errors", diagnostics->errors + diagnostics->delegated);
    json_add_number(&out, "hints", diagnostics->hints);
    strbuf_add_str(&out, "}\n");
    strbuf_free(&digits);
    return print_and_free(&out, EX_OK);
}

/* Delegated files do not stop the daemon, but a check tells of them. */
static bool has_errors(const struct diagnostics *diagnostics)
{
    return diagnostics_has_errors(diagnostics) || diagnostics->delegated > 0;
}

/* True if the key `user` names no account of this host. */
static bool user_is_missing(const struct settings *settings)
{
    struct account account = {.name = NULL};
    bool is_missing = settings->user_is_set && account_find(settings->user, &account) > 0;
    account_free(&account);
    return is_missing;
}

/* Finds the user to read as; a main file that is wrong is reported later. */
static int find_reader(const struct options *o, struct account *account)
{
    const struct settings_request request = {
        .path = o->config_path, .extent = SETTINGS_MAIN_KEYS, .keys = KEYS_NOT_READ};
    struct diagnostics diagnostics;
    int status = EX_OK;
    account->name = NULL;
    if (geteuid() != 0)
        return EX_OK;
    diagnostics_init(&diagnostics);
    struct settings *settings = settings_load(&request, &diagnostics);
    if (settings != NULL && !user_is_missing(settings))
        status = find_user(settings, account);
    settings_free(settings);
    diagnostics_free(&diagnostics);
    return status == EX_CONFIG ? EXIT_NO : status;
}

/* Reads everything as the daemon does: as its user, so that a file which this user cannot read is
 * found now, not by the next reload. */
static int load_as_user(const struct options *o, struct diagnostics *diagnostics,
                        struct settings **settings)
{
    const struct settings_request request = {.path = o->config_path,
                                             .store_fault = store_url_fault};
    struct account account;
    int status = find_reader(o, &account);
    if (status == EX_OK && account.name != NULL && privileges_drop(&account) != 0) {
        report_error("cannot switch to user \"%s\": %s", account.name, strerror(errno));
        status = EX_OSERR;
    } else if (status == EX_OK) {
        *settings = settings_load(&request, diagnostics);
    }
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

/* Reports a file that begins with a field of mail: "Subject: x" is no line of a configuration. */
static void report_message(const char *path)
{
    char line[256] = "";
    FILE *file = fopen(path, "r");
    size_t n = file != NULL && fgets(line, sizeof line, file) != NULL
                   ? strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-")
                   : 0;
    if (file != NULL)
        fclose(file);
    if (n > 0 && (strncmp(line + n, ": ", 2) == 0 || strncmp(line, "From ", 5) == 0))
        report_error("%s looks like a message: mlmilterctl lint or explain", path);
}

/* Checks the main file with all that it names; or, if there are any, list files. */
static int check(const struct options *o, char *const *files, size_t count)
{
    bool has_main = o->config_is_given || access(o->config_path, F_OK) == 0;
    struct diagnostics diagnostics;
    struct settings *settings = NULL;
    int status = EX_OK;
    diagnostics_init(&diagnostics);
    if (count == 0)
        status = load_as_user(o, &diagnostics, &settings);
    else
        settings =
            settings_load_files(has_main ? o->config_path : NULL, files, count, &diagnostics);
    if (count == 0 && settings != NULL)
        check_accounts(o->config_path, settings, &diagnostics);
    bool is_wrong = settings == NULL || has_errors(&diagnostics);
    for (size_t i = 0; i < count && is_wrong; i++)
        report_message(files[i]);
    if (!o->json)
        report_diagnostics(&diagnostics, true);
    else if (status == EX_OK)
        status = print_json(settings, &diagnostics);
    if (status == EX_OK && is_wrong)
        status = EXIT_NO;
    else if (status == EX_OK && !o->json)
        status =
            print_summary(count == 0 ? o->config_path : files[0], count, settings, &diagnostics);
    settings_free(settings);
    diagnostics_free(&diagnostics);
    return status;
}

int run_check(const struct options *o)
{
    char **files = memory_new(o->argument_count + 1, sizeof *files); /* list files */
    size_t count = 0;
    int worst = EX_OK;
    for (size_t i = 0; i < o->argument_count; i++) {
        struct options of_file = *o;
        if (!settings_is_main_file(o->arguments[i])) {
            files[count++] = o->arguments[i];
            continue;
        }
        of_file.config_path = o->arguments[i];
        of_file.config_is_given = true;
        int status = check(&of_file, NULL, 0);
        worst = status > worst ? status : worst;
    }
    if (count > 0 || o->argument_count == 0) {
        int status = check(o, files, count);
        worst = status > worst ? status : worst;
    }
    free(files);
    return worst;
}
