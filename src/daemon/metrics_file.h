/*
 * metrics_file - the file in which the metrics are read
 *
 * A thread of its own writes it, so that a disk that hangs holds up neither mail
 * nor a reload nor a stop.  Readers see one whole text or the next: it is written
 * beside the file, as PATH.new, and renamed.
 */
#ifndef MLMILTER_DAEMON_METRICS_FILE_H
#define MLMILTER_DAEMON_METRICS_FILE_H

#include "daemon/metrics.h"

#include <pthread.h>
#include <stdbool.h>

/* Written when something changed and so many seconds went by; and at the latest after that many
 * more, so that the file's time says that somebody cares for it. */
#define METRICS_FILE_EVERY  5
#define METRICS_FILE_LATEST 60

struct metrics_file {
    struct metrics *metrics; /* borrowed; lives as long as the process */
    pthread_mutex_t mutex;
    pthread_cond_t changed; /* one of those below; on the monotonic clock */
    char *path;             /* NULL: no metrics; owned */
    unsigned asked;         /* how often it was to be written at once */
    unsigned heeded;        /* the value of `asked` when it was written last */
    bool may_start;
    bool running; /* the thread */
    bool last;    /* the next time is the last time */
};

/* 0 or -1. */
int metrics_file_init(struct metrics_file *file, struct metrics *metrics);

/* Main thread: the file from now on, or NULL. One that was written before under another name is
 * removed. */
void metrics_file_use(struct metrics_file *file, const char *path);

/* Main thread, once, when threads may be started: writes it for the first time. */
void metrics_file_start(struct metrics_file *file);

/* Main thread: has it written now, and waits for that for a moment. */
void metrics_file_write(struct metrics_file *file);

/* The same for the last time; frees. */
void metrics_file_end(struct metrics_file *file);

#endif
