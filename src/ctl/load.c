/* load - see tool.h */
#include "ctl/tool.h"

#include "spec/mailbox.h"
#include "store/url.h"
#include "system/privileges.h"
#include "text/edit_distance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void report_diagnostics(const struct diagnostics *d, bool with_all)
{
    static const enum severity order[] = {SEVERITY_ERROR, SEVERITY_DELEGATED, SEVERITY_HINT};
    size_t hidden = d->errors + (with_all ? d->delegated : 0);
    struct strbuf lines = STRBUF_INIT;
    for (size_t k = 0; k < (with_all ? 3 : 1); k++)
        for (size_t i = 0; i < d->count; i++) {
            if (d->items[i].severity != order[k])
                continue;
            diagnostics_format(d, i, &lines);
            strbuf_add_char(&lines, '\n');
            hidden -= order[k] != SEVERITY_HINT;
        }
    fputs(strbuf_str(&lines), stderr);
    if (hidden > 0)
        report_error("errors not shown: %zu", hidden);
    strbuf_free(&lines);
}

static struct settings *loaded;

static void unload(void)
{
    settings_free(loaded);
}

/* Loads as requested. Reports errors; if wants_pid_file, only where pid_file is NULL. */
static struct settings *load(const struct settings_request *request, bool wants_pid_file,
                             bool *is_right)
{
    struct diagnostics d;
    diagnostics_init(&d);
    loaded = settings_load(request, &d);
    atexit(unload);
    *is_right = d.errors == 0;
    if (!*is_right && !(wants_pid_file && loaded != NULL && loaded->pid_file != NULL))
        report_diagnostics(&d, false);
    diagnostics_free(&d);
    return loaded;
}

struct settings *load_settings(const struct options *o, enum settings_extent extent,
                               enum key_reading keys)
{
    bool is_right, has_lists = extent == SETTINGS_ALL;
    return load(&(struct settings_request){.path = o->config_path,
                                           .extent = extent,
                                           .keys = keys,
                                           .store_fault = has_lists ? store_url_fault : NULL},
                false, &is_right);
}

struct settings *load_main_file(const struct options *o, bool wants_pid_file, bool *is_right)
{
    return load(&(struct settings_request){.path = o->config_path,
                                           .extent = SETTINGS_MAIN_FILE,
                                           .with_wrong = true},
                wants_pid_file, is_right);
}

/* Offers an id or address if its first label is near the typed one: the labels after it are often
 * equal for all lists. */
static void try_name(struct edit_nearest *near, struct span candidate)
{
    struct span typed = span_sub(near->name, 0, span_find_any(near->name, ".@"));
    struct span label = span_sub(candidate, 0, span_find_any(candidate, ".@"));
    if (edit_is_within(typed, label, (unsigned)(typed.n / 3) + 1))
        edit_nearest_try(near, candidate);
}

struct span nearest_list(const struct list_index *index, struct span name)
{
    struct edit_nearest near = edit_nearest_to(name);
    for (size_t i = 0; i < index->count; i++) {
        try_name(&near, index->lists[i]->id);
        try_name(&near, index->lists[i]->address);
    }
    return near.nearest;
}

const struct list *find_list(const struct settings *settings, const char *name)
{
    struct arena arena;
    arena_init(&arena, 0);
    const struct list *list = list_get(&settings->index, LIST_BY_ID, span_cstr(name));
    if (list == NULL)
        list = list_get(&settings->index, LIST_BY_ADDRESS, mailbox_of(span_cstr(name), &arena));
    arena_free(&arena);
    if (list != NULL)
        return list;
    struct span near = nearest_list(&settings->index, span_cstr(name));
    if (near.p == NULL)
        report_error("%s: there is no such list (mlmilterctl lists has them)", name);
    else
        report_error("%s: there is no such list (did you mean \"%.*s\"?)", name, (int)near.n,
                     near.p);
    return NULL;
}

int become_user(const struct settings *settings)
{
    struct account account;
    int status = EX_OK;
    if (geteuid() != 0)
        return EX_OK;
    int found = account_find(settings->user, &account);
    if (found < 0) {
        report_error("user \"%s\" cannot be looked up: %s", settings->user, strerror(errno));
        status = EX_OSERR;
    } else if (found > 0 && settings->user_line > 0) {
        report_error("%s:%d: user: \"%s\" does not exist", settings->path, settings->user_line,
                     settings->user);
        status = EX_CONFIG;
    } else if (found > 0) {
        report_error("warning: user \"%s\" (the default) does not exist: going on as root",
                     settings->user);
    } else if (account.uid != 0 && privileges_drop(&account) != 0) {
        report_error("cannot switch to user \"%s\": %s", settings->user, strerror(errno));
        status = EX_OSERR;
    }
    account_free(&account);
    return status;
}
