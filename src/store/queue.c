/* queue - see queue.h. One mutex guards it; no driver is called while it is held. */
#include "store/queue.h"

#include "store/floors.h"
#include "store/monotonic.h"
#include "store/thread.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* So many posts at most share a commit. */
#define BATCH_MAX 256

struct worker {
    struct queue *queue;
    struct driver_connection *connection;
    pthread_t thread;
    size_t count;
    struct request *requests[BATCH_MAX]; /* sorted by list */
    struct store_item *items[BATCH_MAX];
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
    struct floors floors; /* the last number of each list that was told here */
    bool hurried;
    struct timespec latest; /* then nobody waits longer */
    bool end;
    bool left; /* by its owner: the last worker frees it */
    struct worker *workers;
    unsigned started;
    unsigned living; /* of the workers */
};

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

/* Nobody uses it any more. */
static void destroy(struct queue *q)
{
    if (q->shared != NULL)
        q->driver->shared_free(q->shared);
    floors_free(&q->floors);
    pthread_cond_destroy(&q->gone);
    pthread_cond_destroy(&q->work);
    pthread_mutex_destroy(&q->mutex);
    free(q->workers);
    free(q->rest);
    free(q);
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
        destroy(q);
        return NULL;
    }
    return q;
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
    destroy(q);
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
    for (size_t i = 0; i < w->count; i++)
        w->requests[i]->state = REQUEST_TAKEN;
}

/* Tells the items below which number their lists cannot be. 0 or -1. */
static int set_floors(struct worker *w, struct store_error *error)
{
    struct queue *q = w->queue;
    int failed = 0;

    pthread_mutex_lock(&q->mutex);
    for (size_t i = 0; i < w->count && failed == 0; i++) {
        struct store_item *item = w->items[i];
        failed = floors_reserve(&q->floors, item->post.list);
        item->floor = floors_get(&q->floors, item->post.list);
    }
    pthread_mutex_unlock(&q->mutex);
    return failed == 0 ? 0 : store_fail(error, "memory is out");
}

/* All that the worker has, in one transaction. 0 or -1. */
static int assign(struct worker *w)
{
    const struct store_driver *driver = w->queue->driver;
    struct store_error error = {""};
    int result;

    qsort(w->requests, w->count, sizeof w->requests[0], request_compare);
    for (size_t i = 0; i < w->count; i++)
        w->items[i] = &w->requests[i]->item;
    result = set_floors(w, &error);
    if (result == 0)
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

/* One request that is not about a post to be numbered. */
static void run(struct worker *w, struct request *r)
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
        if (r->result == 0 && r->item.answer.number > STORE_NUMBER_MAX)
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
}

/* With the mutex. */
static void raise_floor(struct queue *q, const struct request *r)
{
    if (r->result == 0 && r->verb == REQUEST_ASSIGN)
        floors_raise(&q->floors, r->item.post.list, r->item.answer.number);
    else if (r->result == 0 && r->verb == REQUEST_SET_COUNTER)
        floors_raise(&q->floors, r->item.post.list, r->number);
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
    pthread_cond_signal(&r->answered);
}

/* With the mutex: the store has just failed, so it has for those who came meanwhile. */
static void answer_waiting(struct queue *q, const struct store_error *error)
{
    while (q->posts.first != NULL) {
        struct request *r = line_take(&q->posts);
        r->result = -1;
        r->error = *error;
        answer(q, r);
    }
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
        destroy(q);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct queue *q = w->queue;

    pthread_mutex_lock(&q->mutex);
    for (;;) {
        struct store_error error;
        bool failed = false;

        while (!q->end && q->posts.first == NULL && q->others.first == NULL)
            pthread_cond_wait(&q->work, &q->mutex);
        if (q->end)
            break;
        take(w);
        pthread_mutex_unlock(&q->mutex);
        if (w->requests[0]->verb == REQUEST_ASSIGN)
            failed = assign(w) != 0;
        else
            run(w, w->requests[0]);
        pthread_mutex_lock(&q->mutex);
        error = w->requests[0]->error;
        for (size_t i = 0; i < w->count; i++)
            answer(q, w->requests[i]);
        w->count = 0;
        if (failed)
            answer_waiting(q, &error);
    }
    leave(w);
    return NULL;
}

/* With the mutex: as many workers as the driver wants, at least one. 0 or -1. */
static int start_workers(struct queue *q, struct store_error *error)
{
    int failed = 0;

    while (q->started < q->driver->connections && failed == 0) {
        struct worker *w = &q->workers[q->started];
        w->queue = q;
        w->connection = q->driver->connection_new(q->rest, q->shared);
        if (w->connection == NULL)
            failed = ENOMEM;
        else if (thread_start(&w->thread, work, w) != 0)
            failed = errno;
        if (failed == 0)
            q->living = ++q->started;
        else if (w->connection != NULL)
            q->driver->connection_free(w->connection);
    }
    if (q->started == 0)
        return store_fail(error, "a thread cannot be started: %s", strerror(failed));
    return 0;
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static int no_answer(const struct queue *q, const struct timespec *until, struct store_error *error)
{
    if (q->hurried && until == &q->latest)
        return store_fail(error, "it did not answer before the end of the program");
    return store_fail(error, "it did not answer within %g s", q->patience / 1000.0);
}

/* With the mutex. 0; -1: there was no answer in time, and r belongs to nobody or to a worker. */
static int await(struct queue *q, struct request *r, struct store_error *error)
{
    const struct timespec own = monotonic_deadline(q->patience);
    const struct timespec *until = &own;
    int waited = 0;

    while (r->state != REQUEST_DONE && waited != ETIMEDOUT) {
        until = q->hurried && is_before(&q->latest, &own) ? &q->latest : &own;
        waited = pthread_cond_timedwait(&r->answered, &q->mutex, until);
    }
    if (r->state == REQUEST_DONE)
        return 0;
    if (r->state == REQUEST_WAITING) {
        line_leave(line_of(q, r), r);
        request_free(r);
    } else {
        r->state = REQUEST_ABANDONED;
    }
    return no_answer(q, until, error);
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
    result = q->started > 0 ? 0 : start_workers(q, error);
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
