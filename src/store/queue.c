/* queue - those who ask, and how long they wait: see queue.h. */
#include "store/queue.h"

#include "store/workers.h"
#include "system/monotonic.h"
#include "text/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How long a caller waits for a store that does answer others, in patiences. */
#define PATIENCES 3

static struct line *line_of(struct queue *q, const struct request *r)
{
    return r->verb == REQUEST_ASSIGN ? &q->posts : &q->others;
}

struct queue *queue_new(const struct store_driver *driver, const char *rest, unsigned patience)
{
    struct queue *q = memory_new(1, sizeof *q);
    pthread_mutex_init(&q->mutex, NULL);
    monotonic_cond_init(&q->work);
    monotonic_cond_init(&q->gone);
    for (size_t i = 0; i < BATCHES; i++)
        monotonic_cond_init(&q->answered[i]);
    q->driver = driver;
    q->patience = patience;
    q->last_moment = INT64_MAX;
    told_numbers_init(&q->told);
    q->rest = memory_copy(rest);
    q->workers = memory_new(driver->connections, sizeof *q->workers);
    if (driver->shared_new != NULL)
        q->shared = driver->shared_new(rest);
    return q;
}

void queue_free(struct queue *q, unsigned milliseconds)
{
    struct timespec until = monotonic_at(monotonic_now() + milliseconds);
    int waited = 0;
    pthread_mutex_lock(&q->mutex);
    q->end = true;
    pthread_cond_broadcast(&q->work);
    while (q->living > 0 && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&q->gone, &q->mutex, &until);
    q->left = q->living > 0;
    if (q->left) {
        for (unsigned i = 0; i < q->started; i++)
            pthread_detach(q->workers[i].thread);
        pthread_mutex_unlock(&q->mutex);
        return;
    }
    pthread_mutex_unlock(&q->mutex);
    for (unsigned i = 0; i < q->started; i++)
        pthread_join(q->workers[i].thread, NULL);
    workers_destroy(q);
}

void queue_set_last_moment(struct queue *q, int64_t moment)
{
    pthread_mutex_lock(&q->mutex);
    q->last_moment = moment;
    pthread_mutex_unlock(&q->mutex);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* With the mutex. */
static int64_t gives_up_at(const struct queue *q, int64_t asked)
{
    int64_t idle_since = q->last_answer > asked ? q->last_answer : asked;
    return earlier(earlier(idle_since + q->patience, asked + PATIENCES * q->patience),
                   q->last_moment);
}

/* With the mutex: there was no answer in time. */
static int fail_late(struct queue *q, int64_t asked, int64_t until, struct store_error *error)
{
    if (until == q->last_moment)
        return store_fail(error, "it did not answer before the end of the program");
    store_fail(error, "it did not answer within %g s", (double)(until - asked) / 1000);
    workers_remember_failure(q, error);
    return -1;
}

/* With the mutex, which is free while it waits. 0; -1: there was no answer in time, and r belongs
 * to nobody or to a worker. */
static int await(struct queue *q, struct request *r, struct store_error *error)
{
    int64_t asked = monotonic_now();
    int64_t until;
    do {
        struct timespec t;
        until = gives_up_at(q, asked);
        t = monotonic_at(until);
        pthread_cond_timedwait(r->answered, &q->mutex, &t);
    } while (r->state != REQUEST_DONE && monotonic_now() < gives_up_at(q, asked));
    if (r->state == REQUEST_DONE)
        return 0;
    if (r->state == REQUEST_WAITING) {
        line_leave(line_of(q, r), r);
        request_free(r);
    } else {
        r->state = REQUEST_ABANDONED;
    }
    return fail_late(q, asked, until, error);
}

/* With the mutex. */
static int ask(struct queue *q, struct request *r, struct store_error *error)
{
    int failed = q->started > 0 ? 0 : workers_start(q, error);
    if (failed == 0 && monotonic_now() < q->fails_until) {
        *error = q->failure;
        failed = -1;
    }
    if (failed != 0) {
        request_free(r);
        return -1;
    }
    r->arrival = q->arrivals++;
    r->state = REQUEST_WAITING;
    r->answered = &q->answered[q->batch % BATCHES];
    line_add(line_of(q, r), r);
    pthread_cond_signal(&q->work);
    return await(q, r, error);
}

int queue_ask(struct queue *q, struct request *r, struct store_error *error)
{
    int result;
    pthread_mutex_lock(&q->mutex);
    result = ask(q, r, error);
    pthread_mutex_unlock(&q->mutex);
    return result;
}
