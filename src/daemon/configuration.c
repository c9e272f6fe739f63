/* Loading settings for a daemon, which says in its log what is wrong with them. */
#include "daemon/configuration.h"

#include "daemon/log.h"
#include "store/drivers.h"
#include "system/monotonic.h"

#include <stdlib.h>
#include <string.h>
#include <syslog.h>

/* Returns how many there were; budget: see configuration_load_again. */
static size_t log_all_of(const struct diagnostics *diagnostics, enum severity severity,
                         struct error_budget *budget)
{
    struct strbuf line = STRBUF_INIT;
    int64_t now = budget == NULL ? 0 : monotonic_now();
    size_t seen = 0;

    for (size_t i = 0; i < diagnostics->count; i++) {
        const struct diagnostic *item = &diagnostics->items[i];

        if (item->severity != severity)
            continue;
        seen++;
        if (budget != NULL && item->delegate != NULL &&
            !error_budget_take(budget, item->delegate, now))
            continue;
        strbuf_reset(&line);
        diagnostics_format(diagnostics, i, &line);
        log_line(severity == SEVERITY_HINT ? LOG_INFO : LOG_ERR, strbuf_str(&line));
    }
    strbuf_free(&line);
    return seen;
}

/* In the order of mlmilterctl check. */
static void log_diagnostics(const struct diagnostics *diagnostics, bool with_hints,
                            struct error_budget *budget)
{
    size_t errors = log_all_of(diagnostics, SEVERITY_ERROR, NULL);

    errors += log_all_of(diagnostics, SEVERITY_DELEGATED, budget);
    if (with_hints)
        log_all_of(diagnostics, SEVERITY_HINT, NULL);
    if (diagnostics->out_of_memory)
        log_line(LOG_ERR, "error: out of memory");
    else if (diagnostics->errors + diagnostics->delegated > errors)
        log_printf(LOG_ERR, "error: %zu more errors in the configuration",
                   diagnostics->errors + diagnostics->delegated - errors);
}

void configuration_log_untold(struct error_budget *budget)
{
    const char *delegate;
    size_t lines;

    while ((delegate = error_budget_next(budget, monotonic_now(), &lines)) != NULL)
        log_printf(LOG_ERR, "error: delegate \"%s\": %zu more errors were not logged", delegate,
                   lines);
}

static struct settings *load(const struct settings_request *request,
                             struct diagnostics *diagnostics)
{
    struct settings_request asking = *request;

    asking.store_fault = store_url_fault;
    return settings_load(&asking, diagnostics);
}

/* All that is wrong, one line each. */
static void write_errors(const struct diagnostics *diagnostics, struct strbuf *out)
{
    for (size_t i = 0; i < diagnostics->count; i++) {
        if (diagnostics->items[i].severity == SEVERITY_HINT)
            continue;
        diagnostics_format(diagnostics, i, out);
        strbuf_add_char(out, '\n');
    }
    if (diagnostics->out_of_memory)
        strbuf_add_str(out, "out of memory\n");
}

struct settings *configuration_load_again(const struct settings_request *request,
                                          struct strbuf *told, bool *news,
                                          struct error_budget *budget)
{
    struct diagnostics diagnostics;
    struct settings *settings;
    struct strbuf now = STRBUF_INIT;

    diagnostics_init(&diagnostics);
    settings = load(request, &diagnostics);
    write_errors(&diagnostics, &now);
    *news = strbuf_failed(&now) || !span_eq(strbuf_span(&now), strbuf_span(told));
    if (*news)
        log_diagnostics(&diagnostics, false, budget);
    strbuf_free(told);
    *told = now;
    diagnostics_free(&diagnostics);
    return settings;
}

struct settings *configuration_load(const struct settings_request *request, bool with_hints)
{
    struct diagnostics diagnostics;
    struct settings *settings;

    diagnostics_init(&diagnostics);
    settings = load(request, &diagnostics);
    log_diagnostics(&diagnostics, with_hints, NULL);
    if (settings == NULL && !diagnostics_has_errors(&diagnostics))
        log_line(LOG_ERR, "error: the configuration could not be loaded");
    diagnostics_free(&diagnostics);
    return settings;
}

int start_keys_copy(struct start_keys *keys, const struct settings *settings)
{
    memset(keys, 0, sizeof *keys);
    keys->socket = strdup(settings->socket);
    keys->user = strdup(settings->user);
    keys->pid_file = strdup(settings->pid_file);
    if (settings->socket_group != NULL)
        keys->socket_group = strdup(settings->socket_group);
    keys->socket_mode = settings->socket_mode;
    keys->syslog_facility = log_facility(settings->syslog_facility);
    if (keys->socket != NULL && keys->user != NULL && keys->pid_file != NULL &&
        (settings->socket_group == NULL) == (keys->socket_group == NULL))
        return 0;
    start_keys_free(keys);
    return -1;
}

void start_keys_free(struct start_keys *keys)
{
    free(keys->socket);
    free(keys->user);
    free(keys->socket_group);
    free(keys->pid_file);
    memset(keys, 0, sizeof *keys);
}

static bool same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

void start_keys_compare(const struct start_keys *keys, const struct settings *settings)
{
    const struct {
        const char *key;
        bool same;
    } rows[] = {
        {"socket", same(keys->socket, settings->socket)},
        {"user", same(keys->user, settings->user)},
        {"socket_group", same(keys->socket_group, settings->socket_group)},
        {"socket_mode", keys->socket_mode == settings->socket_mode},
        {"pid_file", same(keys->pid_file, settings->pid_file)},
        {"syslog_facility", keys->syslog_facility == log_facility(settings->syslog_facility)},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!rows[i].same)
            log_printf(LOG_WARNING, "warning: %s was changed: the old value stays until a restart",
                       rows[i].key);
}
