/* queue - those who ask, and how long they wait: see queue.h. */
#include "store/queue.h"

#include "store/queue_parts.h"
#include "system/monotonic.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How often one who waits says so, in milliseconds. */
#define PULSE 100

/* How long one who asks after queue_hurry waits at least, in milliseconds: a store that is well
 * answers sooner. */
#define LATE_PATIENCE 1000

static struct line *line_of(struct queue *q, const struct request *r)
{
    return r->verb == REQUEST_ASSIGN ? &q->posts : &q->others;
}

/* 0 or -1. */
static int init_locks(struct queue *q)
{
    int failed = pthread_mutex_init(&q->mutex, NULL);

    if (failed == 0 && (failed = monotonic_cond_init(&q->work)) != 0)
        pthread_mutex_destroy(&q->mutex);
    if (failed == 0 && (failed = monotonic_cond_init(&q->gone)) != 0) {
        pthread_cond_destroy(&q->work);
        pthread_mutex_destroy(&q->mutex);
    }
    return failed == 0 ? 0 : -1;
}

struct queue *queue_new(const struct store_driver *driver, const char *rest, unsigned patience)
{
    struct queue *q = calloc(1, sizeof *q);

    if (q == NULL)
        return NULL;
    if (init_locks(q) != 0) {
        free(q);
        return NULL;
    }
    q->driver = driver;
    q->patience = patience;
    floors_init(&q->floors);
    q->rest = strdup(rest);
    q->workers = calloc(driver->connections, sizeof *q->workers);
    if (q->rest != NULL && driver->shared_new != NULL)
        q->shared = driver->shared_new(rest);
    if (q->rest == NULL || q->workers == NULL ||
        (driver->shared_new != NULL && q->shared == NULL)) {
        queue_destroy(q);
        return NULL;
    }
    return q;
}

void queue_while_waiting(struct queue *q, void (*tell)(void *self), void *self)
{
    q->tell = tell;
    q->tell_self = self;
}

void queue_free(struct queue *q, unsigned milliseconds)
{
    struct timespec until = monotonic_deadline(milliseconds);
    int waited = 0;
    bool left;

    if (q == NULL)
        return;
    pthread_mutex_lock(&q->mutex);
    q->end = true;
    pthread_cond_broadcast(&q->work);
    while (q->living > 0 && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&q->gone, &q->mutex, &until);
    q->left = left = q->living > 0;
    for (unsigned i = 0; i < q->started && left; i++)
        pthread_detach(q->workers[i].thread);
    pthread_mutex_unlock(&q->mutex);
    if (left)
        return;
    for (unsigned i = 0; i < q->started; i++)
        pthread_join(q->workers[i].thread, NULL);
    queue_destroy(q);
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static int no_answer(const struct queue *q, bool hurried, struct store_error *error)
{
    if (hurried)
        return store_fail(error, "it did not answer before the end of the program");
    return store_fail(error, "it did not answer within %g s", q->patience / 1000.0);
}

/* With the mutex, which it leaves for a moment. ETIMEDOUT, or 0 for another look. */
static int wait_a_while(struct queue *q, struct request *r, const struct timespec *until)
{
    const struct timespec pulse = monotonic_deadline(PULSE);

    if (q->tell == NULL || !is_before(&pulse, until))
        return pthread_cond_timedwait(&r->answered, &q->mutex, until);
    if (pthread_cond_timedwait(&r->answered, &q->mutex, &pulse) == ETIMEDOUT) {
        pthread_mutex_unlock(&q->mutex);
        q->tell(q->tell_self);
        pthread_mutex_lock(&q->mutex);
    }
    return 0;
}

/* With the mutex. 0; -1: there was no answer in time, and r belongs to nobody or to a worker. */
static int await(struct queue *q, struct request *r, struct store_error *error)
{
    const struct timespec own = monotonic_deadline(q->patience);
    const struct timespec late = monotonic_deadline(LATE_PATIENCE);
    const struct timespec *until = &own;
    bool came_late = q->hurried;
    int waited = 0;

    while (r->state != REQUEST_DONE && waited != ETIMEDOUT) {
        until = &own;
        if (q->hurried && is_before(&q->latest, until))
            until = &q->latest;
        if (came_late && until == &q->latest && is_before(until, &late))
            until = is_before(&late, &own) ? &late : &own;
        waited = wait_a_while(q, r, until);
    }
    if (r->state == REQUEST_DONE)
        return 0;
    if (r->state == REQUEST_WAITING) {
        line_leave(line_of(q, r), r);
        request_free(r);
    } else {
        r->state = REQUEST_ABANDONED;
    }
    return no_answer(q, until != &own, error);
}

void queue_hurry(struct queue *q, unsigned milliseconds)
{
    pthread_mutex_lock(&q->mutex);
    q->hurried = true;
    q->latest = monotonic_deadline(milliseconds);
    line_wake(&q->posts);
    line_wake(&q->others);
    for (unsigned i = 0; i < q->started; i++)
        for (size_t n = 0; n < q->workers[i].count; n++)
            pthread_cond_signal(&q->workers[i].requests[n]->answered);
    pthread_mutex_unlock(&q->mutex);
}

int queue_ask(struct queue *q, struct request *r, struct store_error *error)
{
    int result;

    pthread_mutex_lock(&q->mutex);
    result = q->started > 0 ? 0 : queue_start_workers(q, error);
    if (result != 0) {
        request_free(r);
    } else {
        r->arrival = q->arrivals++;
        r->state = REQUEST_WAITING;
        line_add(line_of(q, r), r);
        pthread_cond_signal(&q->work);
        result = await(q, r, error);
    }
    pthread_mutex_unlock(&q->mutex);
    return result;
}
