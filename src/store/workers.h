/*
 * workers - the inside of a queue, and the threads that answer
 *
 * One mutex guards all of it; no driver is called while it is held.  For queue.c
 * and workers.c only.
 */
#ifndef MLMILTER_STORE_WORKERS_H
#define MLMILTER_STORE_WORKERS_H

#include "store/request.h"
#include "store/told_numbers.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most posts that share a commit. */
#define BATCH_MAX 256

/* Who shares a commit waits for one condition, so that one call wakes all of them. The next ones
 * have another, counted round: more than a driver has connections. */
#define BATCHES 8

struct worker {
    struct queue *queue;
    struct driver_connection *connection;
    pthread_t thread;
    size_t count;                        /* 0 when all are answered */
    struct request *requests[BATCH_MAX]; /* sorted by list */
    struct store_item *items[BATCH_MAX];
};

/* Moments are those of monotonic_now. */
struct queue {
    const struct store_driver *driver;
    void *shared; /* of the driver's connections */
    char *rest;
    int64_t patience; /* milliseconds */
    pthread_mutex_t mutex;
    pthread_cond_t work; /* something waits, or the end has come */
    pthread_cond_t gone; /* a worker is */
    pthread_cond_t answered[BATCHES];
    unsigned batch;    /* of those who ask now: answered[batch % BATCHES] */
    struct line posts; /* REQUEST_ASSIGN */
    struct line others;
    uint64_t arrivals;
    struct told_numbers told;
    int64_t last_answer;        /* when a worker last answered anybody */
    int64_t last_moment;        /* after which nobody waits */
    int64_t fails_until;        /* before which all that ask are told `failure` */
    struct store_error failure; /* which took long */
    bool end;
    bool left; /* by its owner: the last worker frees it */
    struct worker *workers;
    unsigned started;
    unsigned living; /* of the workers */
};

/* With the mutex: starts as many workers as the driver wants, at least one. 0 or -1. */
int workers_start(struct queue *q, struct store_error *error);

/* With the mutex: those who ask in the next second are told this, too. */
void workers_remember_failure(struct queue *q, const struct store_error *error);

/* Frees a queue that nobody uses any more. */
void workers_destroy(struct queue *q);

#endif
