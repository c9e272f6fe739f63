/*
 * progress - the progress of a long command, on a terminal
 *
 * One line on standard error, rewritten at most four times a second; nothing if standard error is
 * no terminal.
 */
#ifndef MLMILTER_CTL_ARCHIVE_PROGRESS_H
#define MLMILTER_CTL_ARCHIVE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    bool is_on;
    bool shares_terminal; /* standard output is a terminal, too */
    size_t archive;       /* its number, from 1 */
    size_t archive_count;
    int64_t begun; /* monotonic_now */
    int64_t shown; /* last time */
    size_t width;  /* of the line that is shown; 0: none */
};

void progress_begin(struct progress *p, size_t archive_count);
void progress_next_archive(struct progress *p);

/* Shows the messages of all archives so far, and done of total (0: not known) of this one. */
void progress_update(struct progress *p, uint64_t messages, uint64_t done, uint64_t total);

/* Removes the line, before results are written and at the end. */
void progress_make_room(struct progress *p);
void progress_end(struct progress *p);

#endif
