/* A line that is rewritten: see progress.h. */
#include "ctl/archive/progress.h"

#include "system/monotonic.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Milliseconds. */
#define BETWEEN 250

void progress_begin(struct progress *p, size_t archive_count)
{
    memset(p, 0, sizeof *p);
    p->is_on = isatty(STDERR_FILENO) == 1;
    p->shares_terminal = isatty(STDOUT_FILENO) == 1;
    p->begun = p->shown = monotonic_now();
    p->archive_count = archive_count;
}

void progress_next_archive(struct progress *p)
{
    p->archive++;
}

/* No escape sequence, so that any terminal will do. */
static void wipe(struct progress *p)
{
    if (p->width > 0)
        fprintf(stderr, "\r%*s\r", (int)p->width, "");
    p->width = 0;
}

static void show(struct progress *p, uint64_t messages, double rate, int percent)
{
    char line[160];
    int n = 0;
    if (p->archive_count > 1)
        n = snprintf(line, sizeof line, "%zu of %zu: ", p->archive, p->archive_count);
    n += snprintf(line + n, sizeof line - (size_t)n, "%" PRIu64 " messages, ", messages);
    if (percent >= 0)
        n += snprintf(line + n, sizeof line - (size_t)n, "%d %%, ", percent);
    n += snprintf(line + n, sizeof line - (size_t)n, "%.0f/s", rate);
    wipe(p);
    fputs(line, stderr);
    fflush(stderr);
    p->width = (size_t)n;
}

void progress_update(struct progress *p, uint64_t messages, uint64_t done, uint64_t total)
{
    int64_t now;
    int percent = -1;
    if (!p->is_on)
        return;
    now = monotonic_now();
    if (now - p->shown < BETWEEN)
        return;
    p->shown = now;
    if (total > 0)
        percent = done >= total ? 100 : (int)(100.0 * (double)done / (double)total);
    show(p, messages, (double)messages * 1000 / (double)(now - p->begun), percent);
}

void progress_make_room(struct progress *p)
{
    if (p->shares_terminal)
        wipe(p);
}

void progress_end(struct progress *p)
{
    wipe(p);
}
