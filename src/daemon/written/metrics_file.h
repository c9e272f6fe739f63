/*
 * metrics_file - the file in which the metrics are read
 *
 * Readers see one whole text or the next: it is written beside the file, as
 * PATH.new, and renamed.  The main thread writes it, and nothing is flushed: while
 * its disk hangs, reloads and a stop wait, mail does not.  Main thread only.
 */
#ifndef MLMILTER_DAEMON_WRITTEN_METRICS_FILE_H
#define MLMILTER_DAEMON_WRITTEN_METRICS_FILE_H

#include "daemon/written/metrics.h"

#include <stdbool.h>
#include <stdint.h>

/* Written when something changed and patience.metrics_every went by; in any case after
 * patience.metrics_latest. All zero is a good start: no metrics. */
struct metrics_file {
    char *path; /* NULL: no metrics; owned */
    struct strbuf text;
    struct strbuf written; /* text of the file */
    int64_t looked;        /* time of the last text, in milliseconds (system/monotonic.h) */
    int64_t when;          /* time of the last write */
    bool failing;          /* the last write failed, and that was logged */
};

/* Sets the path of the file, or NULL. Removes a file that was written under another name. */
void metrics_file_use(struct metrics_file *file, const char *path);

/* Writes the file, if there is one. Logs a failure once. */
void metrics_file_write(struct metrics_file *file, struct metrics *metrics);

/* Returns the milliseconds until metrics_file_look is due, or -1 without file. */
int metrics_file_wait(const struct metrics_file *file);

/* Writes the file if that is due. */
void metrics_file_look(struct metrics_file *file, struct metrics *metrics);

void metrics_file_free(struct metrics_file *file);

#endif
