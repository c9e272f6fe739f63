/*
 * What the loader finds as log lines, and how new settings, which are built beside those in force,
 * are published when they are right.
 */
#include "daemon/reload.h"

#include "daemon/log.h"
#include "store/drivers.h"
#include "system/memory.h"
#include "system/monotonic.h"

#include <syslog.h>
#include <time.h>

/* ---- loading -------------------------------------------------------------------------------- */

/* Returns how many there were; budget: see reload_load. */
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
        if (budget != NULL && item->delegate != NULL && !error_budget_take(budget, now))
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
    if (diagnostics->errors + diagnostics->delegated > errors)
        log_printf(LOG_ERR, "error: %zu more errors in the configuration",
                   diagnostics->errors + diagnostics->delegated - errors);
}

void reload_log_untold(struct error_budget *budget)
{
    size_t lines = error_budget_end(budget, monotonic_now());
    if (lines > 0)
        log_printf(LOG_ERR, "error: %zu more lines about files of delegates were not logged",
                   lines);
}

static struct settings *load_files(const struct settings_request *request,
                                   struct diagnostics *diagnostics)
{
    struct settings_request asking = *request;
    asking.store_fault = store_url_fault;
    return settings_load(&asking, diagnostics);
}

/* All that is wrong, one line each. */
static void write_errors(const struct diagnostics *diagnostics, struct strbuf *out)
{
    size_t written = 0;
    for (size_t i = 0; i < diagnostics->count; i++) {
        if (diagnostics->items[i].severity == SEVERITY_HINT)
            continue;
        diagnostics_format(diagnostics, i, out);
        strbuf_add_char(out, '\n');
        written++;
    }
    if (diagnostics->errors + diagnostics->delegated > written)
        strbuf_addf(out, "%zu more errors in the configuration\n",
                    diagnostics->errors + diagnostics->delegated - written);
}

struct settings *reload_load(const struct settings_request *request, struct strbuf *told,
                             bool *news, struct error_budget *budget)
{
    struct diagnostics diagnostics;
    struct settings *settings;
    struct strbuf now = STRBUF_INIT;
    diagnostics_init(&diagnostics);
    settings = load_files(request, &diagnostics);
    write_errors(&diagnostics, &now);
    *news = !span_eq(strbuf_span(&now), strbuf_span(told));
    if (*news)
        log_diagnostics(&diagnostics, false, budget);
    strbuf_free(told);
    *told = now;
    diagnostics_free(&diagnostics);
    memory_give_back(); /* what the load needed */
    return settings;
}

struct settings *reload_load_once(const struct settings_request *request, bool with_hints)
{
    struct diagnostics diagnostics;
    struct settings *settings;
    diagnostics_init(&diagnostics);
    settings = load_files(request, &diagnostics);
    log_diagnostics(&diagnostics, with_hints, NULL);
    if (settings == NULL && !diagnostics_has_errors(&diagnostics))
        log_line(LOG_ERR, "error: the configuration could not be loaded");
    diagnostics_free(&diagnostics);
    memory_give_back();
    return settings;
}

/* ---- publishing ----------------------------------------------------------------------------- */

void reload_publish(struct service *service, struct settings *settings)
{
    settings_in_force_publish(&service->in_force, settings);
    /* Nobody else publishes, so they are in force. */
    metrics_settings(&service->metrics, settings, service->in_force.published, (int64_t)time(NULL));
    metrics_file_use(&service->metrics_file, settings->metrics);
}

void reload_watch(struct service *service)
{
    struct held_settings held = settings_in_force_acquire(&service->in_force);
    if (held.settings != NULL)
        watch_arm(&service->watch, held.settings, service->wrong);
    settings_in_force_release(&service->in_force, held);
}

/* What the files say now, beside the settings in force, which a delegated file that has become
 * wrong falls back to. NULL: it cannot be used, and what it is made of is watched, as that is what
 * will be made right. *same: nothing has changed. */
static struct settings *load(struct service *service, bool asked, bool *news, bool *same)
{
    struct held_settings held = settings_in_force_acquire(&service->in_force);
    struct settings *wrong = NULL;
    const struct settings_request request = {
        .path = service->config_path,
        .previous = held.settings,
        .wrong = held.settings != NULL && held.settings->watch ? &wrong : NULL,
    };
    struct settings *settings =
        reload_load(&request, &service->told, news, asked ? NULL : &service->budget);
    settings_free(service->wrong);
    service->wrong = wrong;
    *same = settings != NULL && held.settings != NULL &&
            fingerprint_eq(&settings->fingerprint, &held.settings->fingerprint);
    settings_in_force_release(&service->in_force, held);
    return settings;
}

void reload_try_store(struct service *service)
{
    struct held_settings held = settings_in_force_acquire(&service->in_force);
    struct store_error error;
    if (held.store != NULL && !held.settings->dry_run &&
        store_in_force_try(settings_in_force_store(&service->in_force), &error) != 0) {
        metrics_count(&service->metrics, COUNT_ERROR_STORE, 1);
        store_in_force_complain(held.settings, "error", LOG_ERR, error.text);
    }
    settings_in_force_release(&service->in_force, held);
}

void reload_write_status(struct service *service)
{
    const struct status now = {
        .configuration = service->config_path,
        .socket = service->listener.connection,
        .started = atomic_load(&service->metrics.started),
        .generation = service->in_force.published,
        .lists = settings_in_force_list_count(&service->in_force),
        .errors = strbuf_span(&service->told),
    };
    status_file_write(&service->status_file, &now);
}

/* True if the line may be logged: a delegate can cause as many reloads as files are saved. */
static bool may_log(struct service *service, const struct settings *settings, bool asked)
{
    bool has_delegates = settings->delegated != NULL || settings->delegated_wrong > 0;
    return asked || !has_delegates || error_budget_take(&service->budget, monotonic_now());
}

static void publish(struct service *service, struct settings *settings, bool asked)
{
    size_t lists = settings->index.count;
    start_keys_compare(&service->keys, settings);
    reload_publish(service, settings);
    if (may_log(service, settings, asked))
        log_printf(LOG_INFO, "reloaded %s: generation %u, %zu list%s", service->config_path,
                   service->in_force.published, lists, lists == 1 ? "" : "s");
    reload_try_store(service);
    reload_watch(service);
}

/* Files have changed, but not what they say. */
static void keep_in_force(struct service *service, struct settings *settings, bool news)
{
    atomic_store(&service->metrics.delegated_wrong, settings->delegated_wrong);
    if (news && strbuf_span(&service->told).n == 0 && may_log(service, settings, false))
        log_printf(LOG_INFO, "%s is right again, and as it was", service->config_path);
    settings_free(settings);
    memory_give_back();
}

static void fail(struct service *service)
{
    log_printf(LOG_ERR, "error: reload of %s failed: the old configuration stays",
               service->config_path);
    metrics_count(&service->metrics, COUNT_RELOAD_FAILED, 1);
}

void reload(struct service *service, bool asked)
{
    struct settings *settings;
    bool news, same;
    bool in_force;
    int64_t begin;
    status_file_begin_load(&service->status_file);
    if (asked) {
        strbuf_reset(&service->told);
        watch_forget_told(&service->watch);
    }
    /* Folders that were made meanwhile, and what they hold, are watched before they are read. */
    reload_watch(service);
    watch_begin_load(&service->watch, &begin);
    settings = load(service, asked, &news, &same);
    watch_end_load(&service->watch, begin);
    if (service->wrong != NULL)
        reload_watch(service);
    in_force = settings != NULL;
    if (settings != NULL && (asked || !same))
        publish(service, settings, asked);
    else if (settings != NULL)
        keep_in_force(service, settings, news);
    else if (asked || news)
        fail(service);
    status_file_end_load(&service->status_file, in_force);
    if (!asked && !news && (settings == NULL || same))
        return; /* as if nothing had happened */
    metrics_file_write(&service->metrics_file, &service->metrics);
    reload_write_status(service);
    pid_file_touch(&service->pid_file);
}
