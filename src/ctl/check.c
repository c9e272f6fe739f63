/* mlmilterctl check: finds errors of the configuration, and prints hints. */
#include "config/read/faults.h"
#include "ctl/tool.h"
#include "store/url.h"
#include "system/privileges.h"
#include "text/json.h"
#include "text/memory.h"
#include "text/visible.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Adds {"file":"...","line":3,"severity":"error","name":"...","key":"post",
 * "text":"..."} for each, then
 * {"lists":3,"fingerprint":"...","errors":0,"hints":1}. */
static void add_json(struct strbuf *out, const struct diagnostics *d,
                     const struct settings *settings)
{
    for (size_t i = 0; i < d->count; i++) {
        const struct diagnostic *item = &d->items[i];
        bool is_hint = item->severity == SEVERITY_HINT;
        strbuf_add_char(out, '{');
        json_add_text(out, "file", span_cstr(item->file));
        if (item->line > 0)
            json_add_number(out, "line", (uint64_t)item->line);
        json_add_text(out, "severity", span_cstr(is_hint ? "hint" : "error"));
        if (item->delegate != NULL)
            json_add_text(out, "delegate", span_cstr(item->delegate));
        json_add_text(out, "name", span_cstr(remarks[item->remark].name));
        if (item->key != NULL)
            json_add_text(out, "key", span_cstr(item->key));
        json_add_text(out, "text", span_cstr(item->text));
        strbuf_add_str(out, "}\n");
    }
    strbuf_add_char(out, '{');
    if (d->errors == 0) {
        json_add_number(out, "lists", settings->index.count);
        json_add_text(out, "fingerprint", span_cstr(settings->fingerprint));
    }
    json_add_number(out, "errors", d->errors + d->delegated);
    json_add_number(out, "hints", d->hints);
    strbuf_add_str(out, "}\n");
}

/* True if root cannot become the user, since it is no account of this host. */
static bool user_is_missing(const struct settings *settings)
{
    struct account account = {.name = NULL};
    bool is_missing =
        geteuid() == 0 && settings->user_line > 0 && account_find(settings->user, &account) > 0;
    account_free(&account);
    return is_missing;
}

/* Becomes the daemon's user, so that a file which this user cannot read is found now, not by the
 * next reload. A main file that is wrong is reported later. */
static int become_reader(const struct options *o)
{
    const struct settings_request request = {
        .path = o->config_path, .extent = SETTINGS_MAIN_KEYS, .keys = KEYS_NOT_READ};
    struct diagnostics d;
    diagnostics_init(&d);
    struct settings *settings = settings_load(&request, &d);
    int status = settings == NULL || user_is_missing(settings) ? EX_OK : become_user(settings);
    settings_free(settings);
    diagnostics_free(&d);
    return status;
}

/* Checks the accounts that the daemon needs; this may be another host than the daemon's. */
static void check_accounts(const char *path, const struct settings *settings, struct diagnostics *d)
{
    const char *group = settings->socket_group;
    struct span socket = span_cstr(group != NULL ? settings->socket : "");
    gid_t ignored;
    if (socket_path(socket) < socket.n && group_find(group, &ignored) > 0)
        say(d, SEVERITY_HINT, place_of(path, settings->socket_group_line, "socket_group"),
            span_cstr(group), HINT_NO_GROUP, NULL);
    if (user_is_missing(settings)) /* does not hide the rest: RULINGS 107 */
        say(d, SEVERITY_ERROR, place_of(path, settings->user_line, "user"),
            span_cstr(settings->user), ERROR_NO_ACCOUNT, NULL);
    diagnostics_finish(d);
}

/* Checks the main file with all that it names; or, if there are any, list files. */
static int check(const struct options *o, char *const *files, size_t count)
{
    bool has_main = o->config_is_given || access(o->config_path, F_OK) == 0;
    const struct settings_request all = {.path = o->config_path,
                                         .store_fault = store_url_fault,
                                         .with_hints = true,
                                         .with_wrong = true};
    const struct settings_request some = {.path = has_main ? o->config_path : NULL,
                                          .keys = KEYS_NOT_READ,
                                          .files = files,
                                          .file_count = count,
                                          .with_hints = true};
    struct strbuf out = STRBUF_INIT;
    struct diagnostics d;
    int status = count == 0 && geteuid() == 0 ? become_reader(o) : EX_OK;
    if (status != EX_OK)
        return status;
    diagnostics_init(&d);
    struct settings *settings = settings_load(count == 0 ? &all : &some, &d);
    if (count == 0 && settings->user != NULL) /* the main file could be read */
        check_accounts(o->config_path, settings, &d);
    /* An error in a delegate's file does not stop the daemon, but counts here. */
    bool is_wrong = d.errors + d.delegated > 0;
    if (o->json)
        add_json(&out, &d, d.errors == 0 ? settings : NULL);
    else
        report_diagnostics(&d, true);
    if (!o->json && settings != NULL && settings->lists_unread)
        report_error("%s: the rest of it and the list files were not judged", o->config_path);
    if (!o->json && !is_wrong) {
        size_t lists = settings->index.count;
        if (count > 1)
            strbuf_addf(&out, "%zu files", count);
        else
            visible_add(&out, span_cstr(count == 0 ? o->config_path : files[0]));
        strbuf_addf(&out, ": %zu list%s, no errors, %zu hint%s\n", lists, lists == 1 ? "" : "s",
                    d.hints, d.hints == 1 ? "" : "s");
    }
    settings_free(settings);
    diagnostics_free(&d);
    return print_and_free(&out, is_wrong ? EXIT_NO : EX_OK);
}

int run_check(const struct options *o)
{
    char **files = memory_new(o->argument_count + 1, sizeof *files); /* list files */
    size_t count = 0;
    int worst = EX_OK, status = EX_OK;
    for (size_t i = 0; i < o->argument_count; i++) {
        struct options of_file = *o;
        of_file.config_path = o->arguments[i];
        of_file.config_is_given = true;
        if (settings_is_main_file(o->arguments[i]))
            status = check(&of_file, NULL, 0);
        else
            files[count++] = o->arguments[i];
        worst = status > worst ? status : worst;
    }
    if (count > 0 || o->argument_count == 0)
        status = check(o, files, count);
    free(files);
    return status > worst ? status : worst;
}
