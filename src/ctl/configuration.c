/* Uses the daemon's own loader, so that the tool tells the truth about the daemon. */
#include "ctl/configuration.h"

#include "ctl/colour.h"
#include "ctl/report.h"
#include "spec/mailbox.h"
#include "store/drivers.h"
#include "text/edit_distance.h"
#include "text/memory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns how many there were. */
static size_t report_all_of(const struct diagnostics *diagnostics, enum severity severity)
{
    struct strbuf line = STRBUF_INIT, shown = STRBUF_INIT;
    bool coloured = colour_wanted(STDERR_FILENO);
    size_t said = 0;
    for (size_t i = 0; i < diagnostics->count; i++) {
        if (diagnostics->items[i].severity != severity)
            continue;
        strbuf_reset(&line);
        strbuf_reset(&shown);
        diagnostics_format(diagnostics, i, &line);
        colour_add(&shown, coloured, severity == SEVERITY_HINT ? COLOUR_YELLOW : COLOUR_RED,
                   strbuf_span(&line));
        fprintf(stderr, "%s\n", strbuf_str(&shown));
        said++;
    }
    strbuf_free(&line);
    strbuf_free(&shown);
    return said;
}

static void report_errors(const struct diagnostics *diagnostics, enum severity severity,
                          size_t count)
{
    size_t said = report_all_of(diagnostics, severity);
    if (count > said)
        report_error("errors not shown: %zu", count - said);
}

void configuration_report(const struct diagnostics *diagnostics, enum report_extent extent)
{
    report_errors(diagnostics, SEVERITY_ERROR, diagnostics->errors);
    if (extent == REPORT_ALL) {
        report_errors(diagnostics, SEVERITY_DELEGATED, diagnostics->delegated);
        report_all_of(diagnostics, SEVERITY_HINT);
    }
}

static struct settings *load(const struct settings_request *request)
{
    struct diagnostics diagnostics;
    struct settings *settings;
    diagnostics_init(&diagnostics);
    settings = settings_load(request, &diagnostics);
    if (settings == NULL)
        configuration_report(&diagnostics, REPORT_ERRORS);
    diagnostics_free(&diagnostics);
    return settings;
}

struct settings *configuration_load(const struct invocation *invocation, enum key_reading keys)
{
    const struct settings_request request = {
        .path = invocation->config_path, .keys = keys, .store_fault = store_url_fault};
    return load(&request);
}

struct settings *configuration_observe(const struct invocation *invocation,
                                       const struct list_observer *observer)
{
    const struct settings_request request = {.path = invocation->config_path,
                                             .keys = KEYS_IF_READABLE,
                                             .store_fault = store_url_fault,
                                             .observer = observer};
    return load(&request);
}

char *configuration_pid_file(const struct invocation *invocation)
{
    struct settings *wrong = NULL;
    const struct settings_request request = {.path = invocation->config_path,
                                             .extent = SETTINGS_MAIN_FILE,
                                             .keys = KEYS_NOT_READ,
                                             .wrong = &wrong};
    struct diagnostics diagnostics;
    struct settings *settings;
    char *path = NULL;
    diagnostics_init(&diagnostics);
    settings = settings_load(&request, &diagnostics);
    if (settings == NULL)
        settings = wrong;
    if (settings != NULL && settings->pid_file != NULL)
        path = memory_copy(settings->pid_file);
    if (path == NULL)
        configuration_report(&diagnostics, REPORT_ERRORS);
    settings_free(settings);
    diagnostics_free(&diagnostics);
    return path;
}

static void complain_list(const struct settings *settings, const char *name)
{
    struct edit_nearest near = edit_nearest_to(span_cstr(name));
    for (size_t i = 0; i < settings->index.count; i++) {
        edit_nearest_try(&near, settings->index.lists[i]->id);
        edit_nearest_try(&near, settings->index.lists[i]->address);
    }
    if (near.nearest.p == NULL)
        report_error("%s: there is no such list (mlmilterctl lists has them)", name);
    else
        report_error("%s: there is no such list (did you mean \"%.*s\"?)", name,
                     (int)near.nearest.n, near.nearest.p);
}

const struct list *configuration_find_list(const struct settings *settings, const char *id)
{
    const struct list *list = list_by_id(&settings->index, span_cstr(id));
    if (list == NULL)
        complain_list(settings, id);
    return list;
}

const struct list *configuration_find_any(const struct settings *settings, const char *name)
{
    const struct list *list = list_by_id(&settings->index, span_cstr(name));
    struct arena arena;
    arena_init(&arena, 0);
    if (list == NULL)
        list = list_by_address(&settings->index, mailbox_of(span_cstr(name), &arena));
    if (list == NULL)
        complain_list(settings, name);
    arena_free(&arena);
    return list;
}
