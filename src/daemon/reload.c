/* reload - see reload.h */
#include "daemon/reload.h"

#include "daemon/listener.h"
#include "daemon/log.h"
#include "daemon/metrics.h"
#include "daemon/options.h"
#include "daemon/pid_file.h"
#include "daemon/snapshot.h"
#include "daemon/status_file.h"
#include "daemon/watch.h"
#include "store/url.h"
#include "system/monotonic.h"
#include "text/strbuf.h"

#include <sysexits.h>
#include <syslog.h>
#include <time.h>

/* Of the last load. */
static const char *path;                        /* of the main file */
static struct strbuf last_errors = STRBUF_INIT; /* one a line */
static struct status status;

/* With `watch` a delegate chooses how often files are read, and their errors. So ten lines a minute
 * are logged about the files of all delegates (RULINGS 98). */
#define DELEGATE_LINES  10
#define DELEGATE_PERIOD 60000
static struct {
    int64_t begin;
    unsigned lines, left_out;
} budget;

void reload_log_left_out(void)
{
    if (budget.left_out > 0 && monotonic_now() - budget.begin >= DELEGATE_PERIOD) {
        log_printf(LOG_ERR, "error: %u more lines about files of delegates were not logged",
                   budget.left_out);
        budget.begin = monotonic_now();
        budget.lines = 1;
        budget.left_out = 0;
    }
}

static bool may_log_delegate(bool asked)
{
    if (asked)
        return true;
    if (monotonic_now() - budget.begin >= DELEGATE_PERIOD && budget.left_out == 0) {
        budget.begin = monotonic_now();
        budget.lines = 0;
    }
    if (budget.lines < DELEGATE_LINES)
        return ++budget.lines > 0;
    budget.left_out++;
    return false;
}

/* Logs what was found, errors first. asked: without a limit. */
static void log_diagnostics(const struct diagnostics *found, bool with_hints, bool asked)
{
    static const enum severity order[] = {SEVERITY_ERROR, SEVERITY_DELEGATED, SEVERITY_HINT};
    struct strbuf line = STRBUF_INIT;
    size_t errors = 0;
    for (size_t n = 0; n < (with_hints ? 3 : 2); n++)
        for (size_t i = 0; i < found->count; i++) {
            bool is_hint = order[n] == SEVERITY_HINT;
            if (found->items[i].severity != order[n])
                continue;
            errors += is_hint ? 0 : 1;
            if (found->items[i].delegate != NULL && !may_log_delegate(asked))
                continue;
            strbuf_reset(&line);
            diagnostics_format(found, i, &line);
            log_line(is_hint ? LOG_INFO : LOG_ERR, strbuf_str(&line));
        }
    if (found->errors + found->delegated > errors)
        log_printf(LOG_ERR, "error: %zu more errors in the configuration",
                   found->errors + found->delegated - errors);
    strbuf_free(&line);
}

static void write_errors(const struct diagnostics *found, struct strbuf *out)
{
    size_t written = 0;
    for (size_t i = 0; i < found->count; i++) {
        if (found->items[i].severity == SEVERITY_HINT)
            continue;
        diagnostics_format(found, i, out);
        strbuf_add_char(out, '\n');
        written++;
    }
    if (found->errors + found->delegated > written)
        strbuf_addf(out, "%zu more errors in the configuration\n",
                    found->errors + found->delegated - written);
}

/* Loads. Logs errors if it was asked for, or if they differ from those of the last load (*news). */
static struct settings *load(const struct settings_request *request, bool with_hints, bool asked,
                             bool *news)
{
    struct settings_request asking = *request;
    struct diagnostics found;
    struct strbuf errors = STRBUF_INIT;
    struct settings *settings;
    diagnostics_init(&found);
    asking.store_fault = store_url_fault;
    settings = settings_load(&asking, &found);
    write_errors(&found, &errors);
    *news = asked || !span_eq(strbuf_span(&errors), strbuf_span(&last_errors));
    if (*news)
        log_diagnostics(&found, with_hints, asked);
    strbuf_free(&last_errors);
    last_errors = errors;
    diagnostics_free(&found);
    return settings;
}

struct settings *reload_read(const struct settings_request *request, bool with_hints)
{
    bool news;
    return load(request, with_hints, true, &news);
}

bool reload_has_errors(void)
{
    return last_errors.len > 0;
}

void reload_write_status(void)
{
    const struct snapshot *now = snapshot_in_force();
    status.configuration = path;
    status.socket = listener_socket();
    status.generation = now->generation;
    status.settings = now->settings;
    status.errors = strbuf_span(&last_errors);
    status_file_write(&status);
}

static void put_in_force(struct settings *settings)
{
    snapshot_publish(settings);
    metrics_use(settings, snapshot_in_force()->generation);
}

static void begin_load(void)
{
    status.load_time = (int64_t)time(NULL);
    status.load_clock = monotonic_nanoseconds();
}

int reload_first(const char *config_path)
{
    const struct settings_request request = {.path = config_path};
    struct settings *settings;
    path = config_path;
    begin_load();
    settings = reload_read(&request, false);
    if (settings == NULL)
        return EX_CONFIG;
    put_in_force(settings);
    return EX_OK;
}

static void publish(struct settings *settings, bool asked)
{
    bool has_delegates = settings->delegated != NULL || settings->delegated_wrong > 0;
    size_t lists = settings->index.count;
    start_keys_compare(settings);
    put_in_force(settings);
    if (!has_delegates || may_log_delegate(asked))
        log_printf(LOG_INFO, "reloaded %s: generation %u, %zu list%s", path,
                   snapshot_in_force()->generation, lists, lists == 1 ? "" : "s");
}

void reload(bool asked)
{
    const struct settings *before = snapshot_in_force()->settings;
    const struct settings_request request = {.path = path, .previous = before};
    int64_t begin = monotonic_now();
    struct settings *settings;
    bool news, is_published;
    watch_read(); /* the load sees these changes */
    begin_load();
    settings = load(&request, false, asked, &news);
    status.refused = settings == NULL;
    if (settings == NULL && news) {
        log_printf(LOG_ERR, "error: reload of %s failed: the old configuration stays", path);
        metrics_count(COUNT_RELOAD_FAILED, 1);
    }
    is_published = settings != NULL &&
                   (asked || !fingerprint_eq(&settings->fingerprint, &before->fingerprint));
    if (is_published) {
        publish(settings, asked);
    } else if (settings != NULL) {
        metrics_delegated_wrong(settings->delegated_wrong);
        if (news && !reload_has_errors() && may_log_delegate(asked))
            log_printf(LOG_INFO, "%s: errors corrected, configuration unchanged", path);
        settings_free(settings);
    }
    watch_loaded(begin);
    watch_folders_of(snapshot_in_force()->settings);
    if (!news && !is_published)
        return; /* the files below may be in a folder that is watched */
    metrics_write(true);
    reload_write_status();
    pid_file_touch();
}
