/*
 * queue - requests of all threads to the workers, each of which has a connection
 *
 * A worker takes the posts that wait into one transaction; other requests go one
 * at a time.  What is wrong with one list is the answer to its posts alone.  When
 * the transaction as a whole fails, that is the answer to all posts that wait at
 * that moment, too; when that took long, to those of the next second as well: they
 * would otherwise wait for the same time-out.  The next request tries anew.
 *
 * A caller waits until one moment: the patience behind its question or the store's
 * last answer to anybody, but at most three times the patience behind its question,
 * and never beyond the last moment that was set for all.
 */
#ifndef MLMILTER_STORE_QUEUE_H
#define MLMILTER_STORE_QUEUE_H

#include "store/request.h"

#include <stdint.h>

struct queue;

/* Returns the queue of a driver and of the text after "scheme:". Nothing is opened or started.
 * milliseconds: time-out of a caller while the store answers no caller. */
struct queue *queue_new(const struct store_driver *driver, const char *rest, unsigned milliseconds);

/* Ends the workers when what they have is done; nobody may ask any more. Waits for that at most
 * this many milliseconds: workers that are not done by then, or whose connection takes its time to
 * close, are left alone and free the queue when they are. */
void queue_free(struct queue *q, unsigned milliseconds);

/* From now on nobody waits beyond this moment (monotonic_now); who waits already may do so for the
 * patience. Any thread. */
void queue_set_last_moment(struct queue *q, int64_t moment);

/* Has a worker answer the request. 0: see r->result. -1 with *error: no answer in time, or there
 * are no workers; then r is not the caller's any more. Any thread. */
int queue_ask(struct queue *q, struct request *r, struct store_error *error);

#endif
