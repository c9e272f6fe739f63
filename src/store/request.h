/*
 * request - what a caller of the store wants, and those that wait in a line
 */
#ifndef MLMILTER_STORE_REQUEST_H
#define MLMILTER_STORE_REQUEST_H

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
    pthread_cond_t *answered; /* of the queue's: where the caller waits */
    struct request *next;
};

/* Returns a request about a list in lower case of at most STORE_LIST_MAX bytes. */
struct request *request_new(enum request_verb verb, struct span list);
void request_free(struct request *r);

/* For qsort(3) of pointers to requests: by list, and within a list as they came. */
int request_compare(const void *a, const void *b);

/* First in, first out. All zero: empty. */
struct line {
    struct request *first;
    struct request *last;
};

void line_add(struct line *line, struct request *r);

/* The first of a line that is not empty. */
struct request *line_take(struct line *line);

/* Someone in the middle goes away. */
void line_leave(struct line *line, struct request *r);

#endif
