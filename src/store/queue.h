/*
 * queue - requests of all threads to the workers, each of which has a connection
 *
 * A worker takes the posts that wait into one transaction; other requests go one
 * at a time.  What is wrong with one list is the answer to its posts alone.  When
 * the transaction as a whole fails, that is the answer to all posts that wait at
 * that moment, too: they would otherwise wait for the same time-out.  The next
 * request tries anew.
 */
#ifndef MLMILTER_STORE_QUEUE_H
#define MLMILTER_STORE_QUEUE_H

#include "store/request.h"

struct queue;

/* The queue of a driver and what stands behind "scheme:". patience: how many milliseconds a caller
 * waits. Nothing is opened or started. NULL: memory is out. */
struct queue *queue_new(const struct store_driver *driver, const char *rest, unsigned patience);

/* Ends the workers when what they have is done; nobody may ask any more. Waits for that at most so
 * many milliseconds: workers that are not done by then, or whose connection takes its time to
 * close, are left alone and free the queue when they are. */
void queue_free(struct queue *q, unsigned milliseconds);

/* See store_while_waiting. */
void queue_while_waiting(struct queue *q, void (*tell)(void *self), void *self);

/* From now on nobody waits for an answer longer than until so many milliseconds from now, or a
 * second for those who ask later. Any thread. */
void queue_hurry(struct queue *q, unsigned milliseconds);

/* Has a worker answer the request. 0: see r->result. -1 with *error: no answer in time, or there
 * are no workers; then r is not the caller's any more. Any thread. */
int queue_ask(struct queue *q, struct request *r, struct store_error *error);

#endif
