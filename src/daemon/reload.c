/* reload - see reload.h */
#include "daemon/reload.h"

#include "daemon/log.h"
#include "daemon/metrics.h"
#include "daemon/snapshot.h"
#include "daemon/state_files.h"
#include "daemon/watch.h"
#include "store/url.h"
#include "system/heap.h"
#include "system/monotonic.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <syslog.h>
#include <time.h>

#define ERRORS_MAX 16384 /* bytes in the status file; the log has all errors */

/* With `watch` a delegate chooses how often files are read, and their errors. So ten lines a minute
 * are logged about the files of all delegates (RULINGS 98). */
#define DELEGATE_LINES  10
#define DELEGATE_PERIOD 60000

static struct load_report last = {.lines = STRBUF_INIT};

/* Counts a line about a file of a delegate. True if it may be logged. */
static bool may_log_delegate(bool asked)
{
    static int64_t begin;
    static unsigned lines;
    if (asked)
        return true;
    if (lines == 0 || monotonic_now() - begin >= DELEGATE_PERIOD) {
        begin = monotonic_now();
        lines = 0;
    }
    if (++lines == DELEGATE_LINES)
        log_line(LOG_ERR, "error: more lines about files of delegates are not logged for a minute");
    return lines < DELEGATE_LINES;
}

/* Logs items of one severity, and keeps errors for the status file. Returns how many it has. */
static size_t report(const struct diagnostics *found, enum severity severity, bool asked)
{
    struct strbuf line = STRBUF_INIT;
    bool is_hint = severity == SEVERITY_HINT;
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        if (found->items[i].severity != severity)
            continue;
        strbuf_reset(&line);
        diagnostics_format(found, i, &line);
        if (!is_hint && last.lines.len + line.len < ERRORS_MAX) {
            strbuf_addf(&last.lines, "error: %s\n", strbuf_str(&line));
            kept++;
        }
        if (found->items[i].delegate == NULL || may_log_delegate(asked))
            log_line(is_hint ? LOG_INFO : LOG_ERR, strbuf_str(&line));
    }
    strbuf_free(&line);
    return kept;
}

/* Returns the values of keys that only a start reads, for free(). */
static char *start_keys_of(const struct settings *settings)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text, "%s\n%s\n%s\n%o\n%s\n%d", settings->socket, settings->user,
                settings->socket_group != NULL ? settings->socket_group : "", settings->socket_mode,
                settings->pid_file, settings->syslog_facility);
    return text.data;
}

/* Sets the warning of the last load, if the daemon was started with other values. */
static void compare_start_keys(const struct settings *settings)
{
    static char *started;
    char *now = start_keys_of(settings);
    if (started == NULL)
        started = now;
    last.warning = strcmp(started, now) == 0 ? NULL
                                             : "one of socket, user, socket_group, socket_mode, "
                                               "pid_file and syslog_facility was changed: the old "
                                               "values stay until a restart";
    if (started != now)
        free(now);
}

/* Loads, and reports errors, then hints. Returns NULL after an error. */
static struct settings *load(const struct settings_request *request, bool asked)
{
    struct settings_request asking = *request;
    struct diagnostics found;
    struct settings *settings;
    size_t kept;
    last.time = (int64_t)time(NULL);
    last.clock = monotonic_nanoseconds();
    strbuf_reset(&last.lines);
    diagnostics_init(&found);
    asking.store_fault = store_url_fault;
    settings = settings_load(&asking, &found);
    last.is_refused = settings == NULL;
    if (settings != NULL) {
        last.delegated_wrong = settings->delegated_wrong;
        compare_start_keys(settings);
    }
    last.errors = found.errors + found.delegated;
    kept = report(&found, SEVERITY_ERROR, asked);
    kept += report(&found, SEVERITY_DELEGATED, asked);
    if (kept < last.errors)
        strbuf_addf(&last.lines, "error: and %zu more, see the log\n", last.errors - kept);
    (void)report(&found, SEVERITY_HINT, asked);
    diagnostics_free(&found);
    heap_trim();
    return settings;
}

struct settings *reload_read(const struct settings_request *request)
{
    return load(request, true);
}

bool reload_has_errors(void)
{
    return last.errors > 0;
}

void reload_write_status(void)
{
    state_files_write_status(&last);
}

void reload_write_files(bool up)
{
    metrics_write(snapshot_in_force(), last.delegated_wrong, up);
    reload_write_status();
}

int reload_first(const char *config_path)
{
    const struct settings_request request = {.path = config_path};
    struct settings *settings = reload_read(&request);
    last.path = config_path;
    if (settings == NULL)
        return EX_CONFIG;
    snapshot_publish(settings);
    return EX_OK;
}

static void publish(struct settings *settings, bool asked)
{
    bool has_delegates = settings->delegated != NULL || settings->delegated_wrong > 0;
    size_t lists = settings->index.count;
    snapshot_publish(settings);
    if (last.warning != NULL && (!has_delegates || may_log_delegate(asked)))
        log_printf(LOG_WARNING, "warning: %s", last.warning);
    if (!has_delegates || may_log_delegate(asked))
        log_printf(LOG_INFO, "reloaded %s: generation %u, %zu list%s", last.path,
                   snapshot_in_force()->generation, lists, lists == 1 ? "" : "s");
}

void reload(bool asked)
{
    const struct settings *before = snapshot_in_force()->settings;
    const struct settings_request request = {.path = last.path, .previous = before};
    bool had_errors = reload_has_errors();
    struct settings *settings;
    bool is_published;
    int64_t begin;
    watch_read(); /* the load sees these changes */
    begin = monotonic_now();
    settings = load(&request, asked);
    is_published =
        settings != NULL && (asked || strcmp(settings->fingerprint, before->fingerprint) != 0);
    if (settings == NULL) {
        log_printf(LOG_ERR, "error: reload of %s failed: the old configuration stays", last.path);
        metrics_count(COUNT_RELOAD_FAILED, 1);
    } else if (is_published) {
        publish(settings, asked);
    } else {
        settings_free(settings);
        if (had_errors && !reload_has_errors() && may_log_delegate(asked))
            log_printf(LOG_INFO, "%s: errors corrected, configuration unchanged", last.path);
    }
    watch_loaded(begin);
    watch_folders_of(snapshot_in_force()->settings, asked || is_published);
    if (!asked && !is_published)
        return; /* in a watched folder these files would cause the next reload */
    reload_write_files(true);
    state_files_touch();
}
