/*
 * progress - how far a long command is, for somebody who watches
 *
 * One line on standard error, rewritten in place at most four times a second;
 * nothing at all unless standard error is a terminal.
 */
#ifndef MLMILTER_CTL_ARCHIVE_PROGRESS_H
#define MLMILTER_CTL_ARCHIVE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    bool is_on;
    bool shares_terminal; /* results go to a terminal too: the line must make room for them */
    size_t archive;       /* which one, from 1 */
    size_t archive_count;
    int64_t begun; /* monotonic_now */
    int64_t shown; /* last time */
    size_t width;  /* of the line that is shown; 0: none */
};

void progress_begin(struct progress *p, size_t archive_count);
void progress_next_archive(struct progress *p);

/* messages: so far, of all archives; done of total (0: not known): of this one. */
void progress_update(struct progress *p, uint64_t messages, uint64_t done, uint64_t total);

/* Before results are written, and at the end. */
void progress_make_room(struct progress *p);
void progress_end(struct progress *p);

#endif
