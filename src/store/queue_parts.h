/*
 * queue_parts - what those who ask (queue.c) and the workers (queue_workers.c) share
 *
 * One mutex guards all of it; no driver is called while it is held.
 */
#ifndef MLMILTER_STORE_QUEUE_PARTS_H
#define MLMILTER_STORE_QUEUE_PARTS_H

#include "store/floors.h"
#include "store/request.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many posts at most share a commit. */
#define BATCH_MAX 256

struct worker {
    struct queue *queue;
    struct driver_connection *connection;
    pthread_t thread;
    size_t count;                        /* 0 when all are answered */
    struct request *requests[BATCH_MAX]; /* sorted by list; changed with the mutex only */
    struct store_item *items[BATCH_MAX]; /* the worker's own */
};

struct queue {
    const struct store_driver *driver;
    void *shared; /* of the driver's connections */
    char *rest;
    unsigned patience;
    pthread_mutex_t mutex;
    pthread_cond_t work; /* something waits, or the end has come */
    pthread_cond_t gone; /* a worker is */
    struct line posts;   /* REQUEST_ASSIGN */
    struct line others;
    uint64_t arrivals;
    struct floors floors;     /* the last number of each list that was told here */
    void (*tell)(void *self); /* those who wait; NULL: nobody wants to know */
    void *tell_self;
    bool hurried;
    struct timespec latest; /* then nobody waits longer */
    bool end;
    bool left; /* by its owner: the last worker frees it */
    struct worker *workers;
    unsigned started;
    unsigned living; /* of the workers */
};

/* With the mutex: starts as many workers as the driver wants, at least one. 0 or -1. */
int queue_start_workers(struct queue *q, struct store_error *error);

/* Frees what nobody uses any more. */
void queue_destroy(struct queue *q);

#endif
