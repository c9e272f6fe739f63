/* load - see load.h */
#include "ctl/load.h"

#include "config/store_kinds.h"
#include "ctl/output.h"
#include "spec/mailbox.h"
#include "store/url.h"
#include "text/edit_distance.h"
#include "text/memory.h"

#include <errno.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* ---- the configuration ---- */

static size_t report_severity(const struct diagnostics *diagnostics, enum severity severity)
{
    struct strbuf line = STRBUF_INIT;
    size_t count = 0;
    for (size_t i = 0; i < diagnostics->count; i++) {
        if (diagnostics->items[i].severity != severity)
            continue;
        strbuf_reset(&line);
        diagnostics_format(diagnostics, i, &line);
        fprintf(stderr, "%s\n", strbuf_str(&line));
        count++;
    }
    strbuf_free(&line);
    return count;
}

static void report_errors(const struct diagnostics *diagnostics, enum severity severity,
                          size_t count)
{
    size_t reported = report_severity(diagnostics, severity);
    if (count > reported)
        report_error("errors not shown: %zu", count - reported);
}

void report_diagnostics(const struct diagnostics *diagnostics, bool with_all)
{
    report_errors(diagnostics, SEVERITY_ERROR, diagnostics->errors);
    if (with_all) {
        report_errors(diagnostics, SEVERITY_DELEGATED, diagnostics->delegated);
        report_severity(diagnostics, SEVERITY_HINT);
    }
}

static struct settings *load(const struct settings_request *request)
{
    struct diagnostics diagnostics;
    diagnostics_init(&diagnostics);
    struct settings *settings = settings_load(request, &diagnostics);
    if (settings == NULL)
        report_diagnostics(&diagnostics, false);
    diagnostics_free(&diagnostics);
    return settings;
}

struct settings *load_settings(const struct options *o, enum key_reading keys,
                               const struct list_observer *observer)
{
    return load(&(struct settings_request){.path = o->config_path,
                                           .keys = keys,
                                           .store_fault = store_url_fault,
                                           .observer = observer});
}

struct settings *load_keys(const struct options *o)
{
    return load(&(struct settings_request){
        .path = o->config_path, .extent = SETTINGS_MAIN_KEYS, .keys = KEYS_NEEDED});
}

static struct settings *load_main(const struct options *o, const struct list_observer *observer,
                                  struct diagnostics *diagnostics)
{
    struct settings *wrong = NULL;
    const struct settings_request request = {.path = o->config_path,
                                             .extent = SETTINGS_MAIN_FILE,
                                             .keys = KEYS_NOT_READ,
                                             .wrong = &wrong,
                                             .observer = observer};
    diagnostics_init(diagnostics);
    struct settings *settings = settings_load(&request, diagnostics);
    return settings != NULL ? settings : wrong;
}

bool load_main_file(const struct options *o, const struct list_observer *observer,
                    struct settings **settings)
{
    struct diagnostics diagnostics;
    *settings = load_main(o, observer, &diagnostics);
    bool is_right = !diagnostics_has_errors(&diagnostics);
    report_diagnostics(&diagnostics, false);
    diagnostics_free(&diagnostics);
    return is_right;
}

char *load_pid_file(const struct options *o)
{
    struct diagnostics diagnostics;
    struct settings *settings = load_main(o, NULL, &diagnostics);
    char *path = NULL;
    if (settings != NULL && settings->pid_file != NULL)
        path = memory_copy(settings->pid_file);
    else
        report_diagnostics(&diagnostics, false);
    settings_free(settings);
    diagnostics_free(&diagnostics);
    return path;
}

/* ---- lists ---- */

static struct span first_label(struct span name)
{
    return span_sub(name, 0, span_find_any(name, ".@"));
}

/* Takes the candidate if its first label, which tells lists of one host apart, is near, too. */
static void try_name(struct edit_nearest *near, struct span candidate)
{
    struct span label = first_label(near->name);
    if (edit_is_within(label, first_label(candidate), (unsigned)(label.n / 3) + 1))
        edit_nearest_try(near, candidate);
}

static void report_unknown_list(const struct settings *settings, const char *name)
{
    struct edit_nearest near = edit_nearest_to(span_cstr(name));
    for (size_t i = 0; i < settings->index.count; i++) {
        try_name(&near, settings->index.lists[i]->id);
        try_name(&near, settings->index.lists[i]->address);
    }
    if (near.nearest.p == NULL)
        report_error("%s: there is no such list (mlmilterctl lists has them)", name);
    else
        report_error("%s: there is no such list (did you mean \"%.*s\"?)", name,
                     (int)near.nearest.n, near.nearest.p);
}

const struct list *find_list(const struct settings *settings, const char *id)
{
    const struct list *list = list_by_id(&settings->index, span_cstr(id));
    if (list == NULL)
        report_unknown_list(settings, id);
    return list;
}

const struct list *find_any_list(const struct settings *settings, const char *name)
{
    const struct list *list = list_by_id(&settings->index, span_cstr(name));
    struct arena arena;
    arena_init(&arena, 0);
    if (list == NULL)
        list = list_by_address(&settings->index, mailbox_of(span_cstr(name), &arena));
    if (list == NULL)
        report_unknown_list(settings, name);
    arena_free(&arena);
    return list;
}

/* ---- the user ---- */

int find_user(const struct settings *settings, struct account *account)
{
    memset(account, 0, sizeof *account);
    if (geteuid() != 0)
        return EX_OK;
    int found = account_find(settings->user, account);
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

int become_user(const struct settings *settings)
{
    struct account account;
    int status = find_user(settings, &account);
    if (status == EX_OK && account.name != NULL && privileges_drop(&account) != 0) {
        report_error("root's rights cannot be given up: %s", strerror(errno));
        status = EX_OSERR;
    }
    account_free(&account);
    return status;
}

/* Returns the reason why SQLite cannot write the file or others beside it, or NULL. */
static const char *file_fault(const char *path)
{
    struct strbuf folder = STRBUF_INIT;
    const char *slash = strrchr(path, '/'), *fault = NULL;
    strbuf_add(&folder, slash != NULL ? path : "./",
               slash != NULL ? (size_t)(slash - path) + 1 : 2);
    if (access(strbuf_str(&folder), W_OK | X_OK) != 0)
        fault =
            errno == ENOENT ? "its directory does not exist" : "its directory cannot be written";
    else if (access(path, R_OK | W_OK) != 0 && errno != ENOENT)
        fault = "it cannot be read and written";
    strbuf_free(&folder);
    return fault;
}

bool store_is_unwritable(const struct settings *settings, struct strbuf *why)
{
    const char *path = settings->store + store_key_path(span_cstr(settings->store));
    const char *fault = *path == '\0' ? NULL : file_fault(path);
    if (fault != NULL)
        strbuf_addf(why, "the store %s %s by user id %ld: %s", path,
                    access(path, F_OK) != 0 && errno == ENOENT
                        ? "does not exist yet, and cannot be made"
                        : "cannot be written",
                    (long)geteuid(), fault);
    return fault != NULL;
}
