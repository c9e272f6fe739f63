/*
 * progress - the progress of a long command, on a terminal
 *
 * One line on standard error, rewritten at most four times a second; nothing if standard error is
 * no terminal.  Each function takes NULL for "no progress".
 */
#ifndef MLMILTER_CTL_PROGRESS_H
#define MLMILTER_CTL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    uint64_t messages; /* of all archives so far */
    bool is_on;
    size_t archive; /* its number, from 1 */
    size_t archive_count;
    int64_t begun; /* monotonic_now */
    int64_t shown; /* last time */
    int width;     /* of the line that is shown; 0: none */
};

void progress_begin(struct progress *p, size_t archive_count);
void progress_next_archive(struct progress *p);

/* Shows done of total (0: not known) of this archive. */
void progress_update(struct progress *p, uint64_t done, uint64_t total);

/* Removes the line, before anything else is written. */
void progress_wipe(struct progress *p);

#endif
