/* workers - those who answer: each has a connection, and takes all posts that wait into one
 * transaction. */
#include "store/workers.h"

#include "system/monotonic.h"
#include "system/patience.h"
#include "system/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void workers_destroy(struct queue *q)
{
    if (q->shared != NULL)
        q->driver->shared_free(q->shared);
    told_numbers_free(&q->told);
    for (size_t i = 0; i < BATCHES; i++)
        pthread_cond_destroy(&q->answered[i]);
    pthread_cond_destroy(&q->gone);
    pthread_cond_destroy(&q->work);
    pthread_mutex_destroy(&q->mutex);
    free(q->workers);
    free(q->rest);
    free(q);
}

/* With the mutex: what the worker does next. Of the others all but a part of a prune are short. */
static void take(struct worker *w)
{
    struct queue *q = w->queue;
    w->count = 0;
    if (q->others.first != NULL)
        w->requests[w->count++] = line_take(&q->others);
    else
        while (q->posts.first != NULL && w->count < BATCH_MAX)
            w->requests[w->count++] = line_take(&q->posts);
    if (q->posts.first == NULL)
        q->batch++;
    for (size_t i = 0; i < w->count; i++)
        w->requests[i]->state = REQUEST_TAKEN;
    qsort(w->requests, w->count, sizeof w->requests[0], request_compare);
}

/* Sets each item's lowest allowed counter. */
static void set_floors(struct worker *w)
{
    struct queue *q = w->queue;
    pthread_mutex_lock(&q->mutex);
    for (size_t i = 0; i < w->count; i++)
        w->items[i]->floor = told_numbers_get(&q->told, w->items[i]->post.list);
    pthread_mutex_unlock(&q->mutex);
}

/* All that the worker has, in one transaction. 0 or -1. */
static int assign(struct worker *w)
{
    const struct store_driver *driver = w->queue->driver;
    struct store_error error = {""};
    int result;
    for (size_t i = 0; i < w->count; i++)
        w->items[i] = &w->requests[i]->item;
    set_floors(w);
    result = driver->open(w->connection, &error);
    if (result == 0)
        result = driver->assign(w->connection, w->items, w->count, (int64_t)time(NULL), &error);
    for (size_t i = 0; i < w->count; i++) {
        struct request *r = w->requests[i];
        r->result = result;
        r->error = error;
        if (result == 0 && r->item.refused.text[0] != '\0') {
            r->result = -1;
            r->error = r->item.refused;
        }
    }
    return result;
}

/* One request that is not about a post to be numbered. Its result. */
static int run(struct worker *w, struct request *r)
{
    const struct store_driver *driver = w->queue->driver;
    struct span list = r->item.post.list;
    switch (r->verb) {
    case REQUEST_ASSIGN:
        break;
    case REQUEST_OPEN:
        r->result = driver->open(w->connection, &r->error);
        break;
    case REQUEST_LOOK_UP:
        r->result = driver->look_up(w->connection, &r->item, &r->error);
        if (r->result == 0 && r->item.answer.number > POST_NUMBER_MAX)
            r->result = store_fail_used_up(&r->error, list);
        break;
    case REQUEST_COUNTER:
        r->result = driver->counter(w->connection, list, &r->number, &r->error);
        break;
    case REQUEST_SET_COUNTER:
        r->result = driver->open(w->connection, &r->error);
        if (r->result == 0)
            r->result = driver->set_counter(w->connection, list, r->number, &r->number, &r->error);
        break;
    case REQUEST_PRUNE:
        r->result = driver->open(w->connection, &r->error);
        if (r->result == 0)
            r->result = driver->prune(w->connection, list, r->older_than, &r->number, &r->error);
        break;
    }
    return r->result;
}

/* With the mutex. */
static void raise_floor(struct queue *q, const struct request *r)
{
    if (r->result == 0 && r->verb == REQUEST_ASSIGN)
        told_numbers_raise(&q->told, r->item.post.list, r->item.answer.number);
    else if (r->result == 0 && r->verb == REQUEST_SET_COUNTER)
        told_numbers_raise(&q->told, r->item.post.list, r->number);
}

void workers_remember_failure(struct queue *q, const struct store_error *error)
{
    q->failure = *error;
    q->fails_until = monotonic_now() + patience.store_long;
}

/* With the mutex. */
static void answer(struct queue *q, struct request *r)
{
    raise_floor(q, r);
    if (r->state == REQUEST_ABANDONED) {
        request_free(r);
        return;
    }
    r->state = REQUEST_DONE;
}

/* With the mutex: the store has just failed as a whole, so it has for the posts that came
 * meanwhile.
 */
static void answer_waiting(struct queue *q, const struct store_error *error)
{
    while (q->posts.first != NULL) {
        struct request *r = line_take(&q->posts);
        r->result = -1;
        r->error = *error;
        answer(q, r);
    }
    for (size_t i = 0; i < BATCHES; i++)
        pthread_cond_broadcast(&q->answered[i]);
}

/* With the mutex, which is free while the driver works. */
static void do_next(struct worker *w)
{
    struct queue *q = w->queue;
    int64_t begin = monotonic_now();
    struct store_error error;
    pthread_cond_t *answered;
    enum request_verb verb;
    int result;
    take(w);
    verb = w->requests[0]->verb;
    answered = w->requests[0]->answered;
    pthread_mutex_unlock(&q->mutex);
    result = verb == REQUEST_ASSIGN ? assign(w) : run(w, w->requests[0]);
    pthread_mutex_lock(&q->mutex);
    q->last_answer = monotonic_now();
    error = w->requests[0]->error;
    for (size_t i = 0; i < w->count; i++)
        answer(q, w->requests[i]);
    if (result != -1) {
        q->fails_until = 0;
    } else if (verb == REQUEST_ASSIGN || verb == REQUEST_OPEN) {
        answer_waiting(q, &error);
        if (q->last_answer - begin >= patience.store_long)
            workers_remember_failure(q, &error);
    }
    w->count = 0;
    /* Those who wake up want the mutex. */
    pthread_mutex_unlock(&q->mutex);
    pthread_cond_broadcast(answered);
    pthread_mutex_lock(&q->mutex);
}

/* With the mutex: the worker's end. A connection may take long to close, too. */
static void leave(struct worker *w)
{
    struct queue *q = w->queue;
    bool last;
    pthread_mutex_unlock(&q->mutex);
    q->driver->connection_free(w->connection);
    pthread_mutex_lock(&q->mutex);
    q->living--;
    last = q->living == 0 && q->left;
    pthread_cond_signal(&q->gone);
    pthread_mutex_unlock(&q->mutex);
    if (last)
        workers_destroy(q);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct queue *q = w->queue;
    pthread_mutex_lock(&q->mutex);
    while (!q->end) {
        if (q->posts.first != NULL || q->others.first != NULL)
            do_next(w);
        else
            pthread_cond_wait(&q->work, &q->mutex);
    }
    leave(w);
    return NULL;
}

int workers_start(struct queue *q, struct store_error *error)
{
    int failed = 0;
    while (q->started < q->driver->connections && failed == 0) {
        struct worker *w = &q->workers[q->started];
        w->queue = q;
        w->connection = q->driver->connection_new(q->rest, q->shared);
        if (thread_start(&w->thread, work, w) == 0) {
            q->living = ++q->started;
        } else {
            failed = errno;
            q->driver->connection_free(w->connection);
        }
    }
    if (q->started == 0)
        return store_fail(error, "a thread cannot be started: %s", strerror(failed));
    return 0;
}
