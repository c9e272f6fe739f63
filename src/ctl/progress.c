/* progress - see progress.h */
#include "ctl/progress.h"

#include "system/monotonic.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define MILLISECONDS_BETWEEN 250

void progress_begin(struct progress *p, size_t archive_count)
{
    int64_t now = monotonic_now();
    *p = (struct progress){.is_on = isatty(STDERR_FILENO) == 1,
                           .archive_count = archive_count,
                           .begun = now,
                           .shown = now};
}

void progress_next_archive(struct progress *p)
{
    if (p != NULL)
        p->archive++;
}

/* Uses no escape sequence, so that any terminal will do. */
void progress_wipe(struct progress *p)
{
    if (p == NULL || p->width == 0)
        return;
    fprintf(stderr, "\r%*s\r", p->width, "");
    p->width = 0;
}

void progress_update(struct progress *p, uint64_t done, uint64_t total)
{
    if (p == NULL || !p->is_on)
        return;
    int64_t now = monotonic_now();
    if (now - p->shown < MILLISECONDS_BETWEEN)
        return;
    p->shown = now;
    progress_wipe(p);
    if (p->archive_count > 1)
        p->width = fprintf(stderr, "%zu of %zu: ", p->archive, p->archive_count);
    p->width += fprintf(stderr, "%" PRIu64 " messages, ", p->messages);
    if (total > 0)
        p->width += fprintf(stderr, "%d %%, ",
                            done >= total ? 100 : (int)(100.0 * (double)done / (double)total));
    p->width += fprintf(stderr, "%.0f/s", (double)p->messages * 1000 / (double)(now - p->begun));
    fflush(stderr);
}
