/*
 * queue - requests of all threads to the workers, each of which has a connection
 *
 * A worker takes all posts that wait into one transaction; other requests go one
 * at a time.  When a transaction fails, that is the answer to all posts that wait
 * at that moment: they would otherwise wait for the same time-out.  The next
 * request tries anew.
 */
#ifndef MLMILTER_STORE_QUEUE_H
#define MLMILTER_STORE_QUEUE_H

#include "store/driver.h"

#include <pthread.h>
#include <stdint.h>

enum request_verb {
    REQUEST_ASSIGN,
    REQUEST_OPEN,
    REQUEST_LOOK_UP,
    REQUEST_COUNTER,
    REQUEST_SET_COUNTER,
    REQUEST_PRUNE
};

enum request_state {
    REQUEST_WAITING,
    REQUEST_TAKEN,    /* a worker has it */
    REQUEST_DONE,     /* it is the caller's again */
    REQUEST_ABANDONED /* the caller did not wait any longer: the worker frees it */
};

struct request {
    enum request_verb verb;
    struct store_item item;   /* post.list points to `list` below */
    uint64_t number;          /* of set_counter, and what counter, set_counter and prune give */
    int64_t older_than;       /* of prune */
    int result;               /* of the driver's function */
    struct store_error error; /* if that is -1 */

    char list[STORE_LIST_MAX];
    enum request_state state;
    uint64_t arrival;
    struct request *next;
    pthread_cond_t answered;
};

struct queue;

/* A request about a list in lower case, at most STORE_LIST_MAX octets. NULL: memory is out. */
struct request *request_new(enum request_verb verb, struct span list);
void request_free(struct request *r);

/* The queue of a driver and what stands behind "scheme:". patience: how many milliseconds a caller
 * waits. Nothing is opened or started. NULL: memory is out. */
struct queue *queue_new(const struct store_driver *driver, const char *rest, unsigned patience);

/* Ends the workers when what they have is done; nobody may wait. */
void queue_free(struct queue *q);

/* Has a worker answer the request. 0: see r->result. -1 with *error: no answer in time, or there
 * are no workers; then r is not the caller's any more. Any thread. */
int queue_ask(struct queue *q, struct request *r, struct store_error *error);

#endif
