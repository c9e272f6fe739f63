/* When the metrics are written, and what is said when they cannot be. */
#include "daemon/written/metrics_file.h"

#include "daemon/log.h"
#include "system/monotonic.h"
#include "system/patience.h"
#include "system/replace_file.h"
#include "text/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

/* True if nothing is lost when the path is written over: it is free, an empty file, or a file of
 * ours, however it is spelled (RULINGS 107). Else errno is EEXIST. */
static bool may_replace(const char *path)
{
    static const char begin[] = "# HELP mlmilter_";
    char text[sizeof begin - 1];
    struct stat status;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    ssize_t n =
        fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? read(fd, text, sizeof text) : -1;
    close(fd);
    errno = EEXIST;
    return n == 0 || (n == (ssize_t)sizeof text && memcmp(text, begin, sizeof text) == 0);
}

/* A file that nobody writes any more would be read for ever. */
static void leave(struct metrics_file *file)
{
    if (file->path != NULL && file->written.len > 0 && may_replace(file->path) &&
        unlink(file->path) != 0 && errno != ENOENT)
        log_printf(LOG_WARNING, "warning: metrics: %s cannot be removed: %s", file->path,
                   strerror(errno));
    metrics_file_free(file);
}

void metrics_file_use(struct metrics_file *file, const char *path)
{
    if (path != NULL && file->path != NULL && strcmp(path, file->path) == 0)
        return;
    leave(file);
    if (path == NULL)
        return;
    file->path = memory_copy(path);
}

static void tell(struct metrics_file *file, struct metrics *metrics, int result)
{
    if (result == 0 && file->failing)
        log_printf(LOG_INFO, "metrics: %s is written again", file->path);
    if (result != 0)
        metrics_count(metrics, COUNT_ERROR_METRICS, 1);
    if (result != 0 && !file->failing)
        log_printf(LOG_ERR, "error: metrics: %s cannot be written: %s", file->path,
                   errno == EEXIST ? "it is a file with something else in it" : strerror(errno));
    file->failing = result != 0;
}

static void make_text(struct metrics_file *file, struct metrics *metrics)
{
    file->looked = monotonic_now();
    strbuf_reset(&file->text);
    metrics_print(&file->text, metrics);
}

static void write_text(struct metrics_file *file, struct metrics *metrics)
{
    int result = -1;
    struct strbuf was;
    if (may_replace(file->path))
        result = replace_file(file->path, strbuf_span(&file->text), 0644);
    tell(file, metrics, result);
    if (result != 0)
        return;
    was = file->written;
    file->written = file->text;
    file->text = was;
    file->when = file->looked;
}

void metrics_file_write(struct metrics_file *file, struct metrics *metrics)
{
    if (file->path == NULL)
        return;
    make_text(file, metrics);
    write_text(file, metrics);
}

int metrics_file_wait(const struct metrics_file *file)
{
    int64_t left = file->looked + patience.metrics_every - monotonic_now();
    return file->path == NULL ? -1 : left > 0 ? (int)left : 0;
}

void metrics_file_look(struct metrics_file *file, struct metrics *metrics)
{
    if (metrics_file_wait(file) != 0)
        return;
    make_text(file, metrics);
    if (file->failing || file->looked - file->when >= patience.metrics_latest ||
        !span_eq(strbuf_span(&file->text), strbuf_span(&file->written)))
        write_text(file, metrics);
}

void metrics_file_free(struct metrics_file *file)
{
    free(file->path);
    strbuf_free(&file->text);
    strbuf_free(&file->written);
    *file = (struct metrics_file){.path = NULL};
}
