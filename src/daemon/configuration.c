/* Loading settings for a daemon, which says in its log what is wrong with them. */
#include "daemon/configuration.h"

#include "daemon/log.h"

#include <stdlib.h>
#include <string.h>
#include <syslog.h>

static void log_diagnostics(const struct diagnostics *diagnostics, bool with_hints)
{
    struct strbuf line = STRBUF_INIT;
    size_t errors = 0;

    for (size_t i = 0; i < diagnostics->count; i++) {
        bool is_error = diagnostics->items[i].severity != SEVERITY_HINT;

        if (!is_error && !with_hints)
            continue;
        errors += is_error ? 1 : 0;
        strbuf_reset(&line);
        diagnostics_format(diagnostics, i, &line);
        log_line(is_error ? LOG_ERR : LOG_INFO, strbuf_str(&line));
    }
    strbuf_free(&line);
    if (diagnostics->out_of_memory)
        log_line(LOG_ERR, "error: out of memory");
    else if (diagnostics->errors + diagnostics->delegated > errors)
        log_printf(LOG_ERR, "error: %zu more errors in the configuration",
                   diagnostics->errors + diagnostics->delegated - errors);
}

struct settings *configuration_load(const struct settings_request *request, bool with_hints)
{
    struct diagnostics diagnostics;
    struct settings *settings;

    diagnostics_init(&diagnostics);
    settings = settings_load(request, &diagnostics);
    log_diagnostics(&diagnostics, with_hints);
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
