/* The thread that writes the metrics, and the main thread's side of it. */
#include "daemon/metrics_file.h"

#include "daemon/log.h"
#include "system/monotonic.h"
#include "system/replace_file.h"
#include "system/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

/* How long the main thread waits for a file to be written, in seconds. */
#define PATIENCE 2

/* What the thread knows of its work. */
struct writer {
    struct metrics *metrics;
    char *path; /* written before, or tried; NULL: none */
    struct strbuf text;
    struct strbuf written; /* what stands in the file */
    int64_t when;          /* it was written, in milliseconds of the monotonic clock */
    bool failing;          /* that has been told */
};

int metrics_file_init(struct metrics_file *file, struct metrics *metrics)
{
    memset(file, 0, sizeof *file);
    file->metrics = metrics;
    if (pthread_mutex_init(&file->mutex, NULL) != 0)
        return -1;
    if (monotonic_cond_init(&file->changed) != 0) {
        pthread_mutex_destroy(&file->mutex);
        return -1;
    }
    return 0;
}

/* ---- the thread ----------------------------------------------------------------------------- */

/* A file that nobody writes any more would be read for ever. */
static void leave(struct writer *w)
{
    if (w->path != NULL && w->written.len > 0 && unlink(w->path) != 0 && errno != ENOENT)
        log_printf(LOG_WARNING, "warning: metrics: %s cannot be removed: %s", w->path,
                   strerror(errno));
    free(w->path);
    w->path = NULL;
    strbuf_reset(&w->written);
    w->failing = false;
}

static void tell(struct writer *w, int result)
{
    if (result == 0 && w->failing)
        log_printf(LOG_INFO, "metrics: %s is written again", w->path);
    if (result != 0)
        metrics_count(w->metrics, COUNT_ERROR_METRICS, 1);
    if (result != 0 && !w->failing)
        log_printf(LOG_ERR, "error: metrics: %s cannot be written: %s", w->path, strerror(errno));
    w->failing = result != 0;
}

/* Takes the path over. */
static void write_metrics(struct writer *w, char *path, bool at_once)
{
    int64_t now = monotonic_now();
    struct strbuf was;
    int result = -1;

    if (w->path != NULL && (path == NULL || strcmp(path, w->path) != 0))
        leave(w);
    free(w->path);
    w->path = path;
    if (path == NULL)
        return;
    strbuf_reset(&w->text);
    metrics_print(&w->text, w->metrics);
    if (!at_once && !w->failing && now - w->when < METRICS_FILE_LATEST * 1000 &&
        w->text.len == w->written.len && memcmp(w->text.data, w->written.data, w->text.len) == 0)
        return;
    errno = ENOMEM;
    if (!strbuf_failed(&w->text))
        result = replace_file(path, strbuf_span(&w->text), 0644);
    tell(w, result);
    if (result != 0)
        return;
    was = w->written;
    w->written = w->text;
    w->text = was;
    w->when = now;
}

/* With the mutex held: until there is something to do. */
static void await_work(struct metrics_file *file)
{
    const struct timespec until = monotonic_deadline(METRICS_FILE_EVERY * 1000);

    while (file->asked == file->heeded) {
        if (file->path == NULL)
            pthread_cond_wait(&file->changed, &file->mutex);
        else if (pthread_cond_timedwait(&file->changed, &file->mutex, &until) == ETIMEDOUT)
            return;
    }
}

/* With the mutex held, which is not held while the file is written. */
static void work(struct metrics_file *file, struct writer *w)
{
    unsigned asked = file->asked;
    bool at_once = asked != file->heeded;
    bool wanted = file->path != NULL;
    char *path = wanted ? strdup(file->path) : NULL;

    pthread_mutex_unlock(&file->mutex);
    if (wanted && path == NULL)
        log_line(LOG_ERR, "error: metrics: out of memory");
    else
        write_metrics(w, path, at_once);
    pthread_mutex_lock(&file->mutex);
    file->heeded = asked;
    pthread_cond_broadcast(&file->changed);
}

static void *run(void *argument)
{
    struct metrics_file *file = argument;
    struct writer w = {.metrics = file->metrics, .text = STRBUF_INIT, .written = STRBUF_INIT};
    bool last = false;

    pthread_mutex_lock(&file->mutex);
    while (!last) {
        await_work(file);
        last = file->last;
        work(file, &w);
    }
    free(w.path);
    strbuf_free(&w.text);
    strbuf_free(&w.written);
    file->running = false;
    pthread_cond_broadcast(&file->changed);
    pthread_mutex_unlock(&file->mutex);
    return NULL;
}

/* ---- the main thread ------------------------------------------------------------------------ */

/* With the mutex held. */
static void start_if_needed(struct metrics_file *file)
{
    if (!file->may_start || file->running || file->path == NULL)
        return;
    file->running = thread_start(NULL, run, file) == 0;
    if (!file->running)
        log_printf(LOG_ERR, "error: metrics: no thread can be started: %s", strerror(errno));
}

void metrics_file_use(struct metrics_file *file, const char *path)
{
    char *copy = path != NULL ? strdup(path) : NULL;

    if (path != NULL && copy == NULL) {
        log_line(LOG_ERR, "error: metrics: out of memory");
        return;
    }
    pthread_mutex_lock(&file->mutex);
    free(file->path);
    file->path = copy;
    pthread_mutex_unlock(&file->mutex);
}

void metrics_file_start(struct metrics_file *file)
{
    file->may_start = true;
    metrics_file_write(file);
}

void metrics_file_write(struct metrics_file *file)
{
    const struct timespec until = monotonic_deadline(PATIENCE * 1000);
    unsigned asked;

    pthread_mutex_lock(&file->mutex);
    start_if_needed(file);
    asked = ++file->asked;
    pthread_cond_broadcast(&file->changed);
    while (file->running && (int)(file->heeded - asked) < 0)
        if (pthread_cond_timedwait(&file->changed, &file->mutex, &until) == ETIMEDOUT)
            break;
    pthread_mutex_unlock(&file->mutex);
}

void metrics_file_end(struct metrics_file *file)
{
    pthread_mutex_lock(&file->mutex);
    file->last = true;
    pthread_mutex_unlock(&file->mutex);
    metrics_file_write(file);
    pthread_mutex_lock(&file->mutex);
    free(file->path);
    file->path = NULL;
    pthread_mutex_unlock(&file->mutex);
}
