/* The lines of the status file, and when they are written. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/written/status_file.h"

#include "daemon/log.h"
#include "system/monotonic.h"
#include "system/paths.h"
#include "system/patience.h"
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

/* As the pid file. */
#define STATUS_FILE_MODE 0600

/* More errors than that are counted; octets. The log has them. */
#define STATUS_ERRORS_MAX 16384

void status_file_use(struct status_file *file, const char *pid_file)
{
    file->path = path_of_status(pid_file);
    (void)unlink(file->path);
}

void status_file_begin_load(struct status_file *file)
{
    file->beginning_time = (int64_t)time(NULL);
    file->beginning_clock = monotonic_nanoseconds();
}

void status_file_end_load(struct status_file *file, bool in_force)
{
    file->load_time = file->beginning_time;
    file->load_clock = file->beginning_clock;
    file->refused = !in_force;
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

/* Whole lines of them, as many as have room. */
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

static void make_text(const struct status_file *file, const struct status *status,
                      struct strbuf *out)
{
    strbuf_addf(out, "pid: %ld\n", (long)getpid());
    add_text(out, "version", span_cstr(PACKAGE_VERSION));
    add_text(out, "configuration", span_cstr(status->configuration));
    add_text(out, "socket", span_cstr(status->socket));
    add_time(out, "started", status->started);
    add_time(out, "written", (int64_t)time(NULL));
    strbuf_addf(out, "generation: %u\nlists: %zu\n", status->generation, status->lists);
    add_text(out, "load", span_cstr(file->refused ? "refused" : "in force"));
    add_time(out, "load-time", file->load_time);
    strbuf_addf(out, "load-clock: %" PRId64 "\n", file->load_clock);
    add_errors(out, status->errors);
}

void status_file_write(struct status_file *file, const struct status *status)
{
    struct strbuf text = STRBUF_INIT;
    int result;
    if (file->path == NULL)
        return;
    file->written = monotonic_now();
    make_text(file, status, &text);
    result = replace_file(file->path, strbuf_span(&text), STATUS_FILE_MODE);
    if (result != 0 && !file->failing)
        log_printf(LOG_WARNING, "warning: %s cannot be written: %s", file->path, strerror(errno));
    if (result == 0 && file->failing)
        log_printf(LOG_INFO, "%s is written again", file->path);
    file->failing = result != 0;
    strbuf_free(&text);
}

int status_file_wait(const struct status_file *file)
{
    int64_t left = file->written + patience.status_every - monotonic_now();
    return file->path == NULL ? -1 : left > 0 ? (int)left : 0;
}

void status_file_remove(struct status_file *file)
{
    if (file->path != NULL)
        (void)unlink(file->path);
    free(file->path);
    file->path = NULL;
}
