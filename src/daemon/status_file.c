/* status_file - see status_file.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/status_file.h"

#include "daemon/log.h"
#include "system/paths.h"
#include "system/replace_file.h"
#include "text/strbuf.h"
#include "text/visible.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define STATUS_FILE_MODE  0600
#define STATUS_ERRORS_MAX 16384 /* bytes; further errors are counted, and are in the log */

static char *path; /* NULL: none */
static int64_t started;
static bool failing; /* the last write failed, and that was logged */

void status_file_use(const char *pid_file)
{
    path = path_of_status(pid_file);
    started = (int64_t)time(NULL);
    (void)unlink(path);
}

static void add_text(struct strbuf *out, const char *key, struct span value)
{
    strbuf_addf(out, "%s: ", key);
    visible_add(out, value);
    strbuf_add_char(out, '\n');
}

/* ISO 8601, UTC. */
static void add_time(struct strbuf *out, const char *key, int64_t seconds)
{
    time_t when = (time_t)seconds;
    char text[32] = "";
    struct tm tm;
    if (gmtime_r(&when, &tm) != NULL)
        (void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    add_text(out, key, span_cstr(text));
}

static size_t count_lines(struct span lines)
{
    size_t n = 0;
    for (; lines.n > 0; n++)
        lines = span_sub(lines, span_find(lines, '\n') + 1, lines.n);
    return n;
}

/* Adds whole lines, as many as have room. */
static void add_errors(struct strbuf *out, struct span errors)
{
    size_t begin = out->len;
    strbuf_addf(out, "errors: %zu\n", count_lines(errors));
    while (errors.n > 0) {
        struct span line = span_sub(errors, 0, span_find(errors, '\n'));
        if (out->len - begin + line.n > STATUS_ERRORS_MAX) {
            strbuf_addf(out, "error: and %zu more, see the log\n", count_lines(errors));
            return;
        }
        add_text(out, "error", line);
        errors = span_sub(errors, line.n + 1, errors.n);
    }
}

void status_file_write(const struct status *status)
{
    struct strbuf text = STRBUF_INIT;
    int result;
    if (path == NULL)
        return;
    strbuf_addf(&text, "pid: %ld\n", (long)getpid());
    add_text(&text, "version", span_cstr(PACKAGE_VERSION));
    add_text(&text, "configuration", span_cstr(status->configuration));
    add_text(&text, "socket", span_cstr(status->socket));
    add_time(&text, "started", started);
    add_time(&text, "written", (int64_t)time(NULL));
    strbuf_addf(&text, "generation: %u\nlists: %zu\nfingerprint: ", status->generation,
                status->settings->index.count);
    fingerprint_format(&status->settings->fingerprint, &text);
    strbuf_add_char(&text, '\n');
    add_text(&text, "load", span_cstr(status->refused ? "refused" : "in force"));
    add_time(&text, "load-time", status->load_time);
    strbuf_addf(&text, "load-clock: %" PRId64 "\n", status->load_clock);
    add_errors(&text, status->errors);
    result = replace_file(path, strbuf_span(&text), STATUS_FILE_MODE);
    if (result != 0 && !failing)
        log_printf(LOG_WARNING, "warning: %s cannot be written: %s", path, strerror(errno));
    if (result == 0 && failing)
        log_printf(LOG_INFO, "%s is written again", path);
    failing = result != 0;
    strbuf_free(&text);
}

void status_file_remove(void)
{
    if (path != NULL)
        (void)unlink(path);
    free(path);
    path = NULL;
}
