/* store - see store.h: the queue, its thread, and recent answers. One mutex guards all of them; it
 * is not held while the database works. */
#include "store/store.h"

#include "system/monotonic.h"
#include "system/patience.h"
#include "text/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Recent answers are kept so long; after that the database is asked again. */
#define REMEMBERED_MS (900 * INT64_C(1000))
#define REMEMBERED    4096 /* a power of two */

/* Answers of a batch are announced on one condition, those of the next batch on another. */
enum {
    WORK, /* a request waits, or the end has come */
    GONE, /* the thread has ended */
    ANSWERS,
    CONDITIONS = ANSWERS + 2
};

enum request_state {
    REQUEST_WAITING,  /* in the queue */
    REQUEST_RUNNING,  /* the thread has it */
    REQUEST_DONE,     /* the caller has it again */
    REQUEST_ABANDONED /* the thread has it and frees it */
};

struct request {
    struct store_question question;
    enum request_state state;
    int result;
    struct store_error error; /* if result is -1 */
    pthread_cond_t *announced;
    struct request *next;
};

/* A recent answer; `since` is 0 if there is none. */
struct remembered {
    int64_t since;
    struct store_question question;
};

struct store {
    struct numbers *numbers; /* of the thread */
    pthread_mutex_t mutex;
    pthread_cond_t conditions[CONDITIONS];
    struct request *first;
    struct request **end; /* of the queue */
    unsigned batch;       /* number of the batch that waits */
    pthread_t thread;     /* joined, or left */
    bool is_started;
    bool is_running;
    bool is_ending;
    bool is_left;                  /* by its owner: the thread frees it */
    struct remembered *remembered; /* REMEMBERED places */
};

struct store *store_new(struct numbers *numbers)
{
    struct store *store = memory_new(1, sizeof *store);
    store->numbers = numbers;
    store->end = &store->first;
    store->remembered = memory_new(REMEMBERED, sizeof *store->remembered);
    pthread_mutex_init(&store->mutex, NULL);
    for (size_t i = 0; i < CONDITIONS; i++)
        monotonic_cond_init(&store->conditions[i]);
    return store;
}

static void destroy(struct store *store)
{
    for (size_t i = 0; i < CONDITIONS; i++)
        pthread_cond_destroy(&store->conditions[i]);
    pthread_mutex_destroy(&store->mutex);
    numbers_free(store->numbers);
    free(store->remembered);
    free(store);
}

void store_free(struct store *store, unsigned milliseconds)
{
    struct timespec until = monotonic_deadline(milliseconds);
    int waited = 0;
    bool is_left;
    if (store == NULL)
        return;
    pthread_mutex_lock(&store->mutex);
    store->is_ending = true;
    pthread_cond_signal(&store->conditions[WORK]);
    while (store->is_running && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&store->conditions[GONE], &store->mutex, &until);
    is_left = store->is_left = store->is_running;
    if (is_left)
        pthread_detach(store->thread);
    pthread_mutex_unlock(&store->mutex);
    if (is_left)
        return;
    if (store->is_started)
        pthread_join(store->thread, NULL);
    destroy(store);
}

/* ---- recent answers, with the mutex ---- */

/* Returns the place of a post. The key is a digest: a part of it is a hash. */
static struct remembered *get_place(struct store *store, const struct store_question *question)
{
    uint32_t hash;
    memcpy(&hash, question->key, sizeof hash);
    for (const char *p = question->list; *p != '\0'; p++)
        hash = hash * 31 + (unsigned char)*p;
    return &store->remembered[hash % REMEMBERED];
}

static bool is_same_post(const struct store_question *a, const struct store_question *b)
{
    return memcmp(a->key, b->key, sizeof a->key) == 0 &&
           memcmp(a->fingerprint, b->fingerprint, sizeof a->fingerprint) == 0 &&
           strcmp(a->list, b->list) == 0;
}

/* Fills the answer from a recent one. An answer without a number is none for a post that wants one.
 */
static bool recall(struct store *store, struct store_question *question)
{
    const struct remembered *place = get_place(store, question);
    const struct store_answer *answer = &place->question.answer;
    if (place->since == 0 || monotonic_now() - place->since >= REMEMBERED_MS ||
        !is_same_post(&place->question, question) || (question->numbered && answer->number == 0) ||
        question->wish == STORE_LOOK)
        return false;
    question->answer = *answer;
    return true;
}

static void remember(struct store *store, const struct store_question *question)
{
    struct remembered *place = get_place(store, question);
    if (question->answer.is_new || question->wish == STORE_LOOK)
        return;
    place->since = monotonic_now();
    place->question = *question;
}

/* ---- the thread ---- */

/* Gives a request back to its caller. With the mutex. */
static void finish(struct store *store, struct request *request, int result,
                   const struct store_error *error)
{
    request->result = result;
    request->error = *error;
    if (result == 0)
        remember(store, &request->question);
    if (request->state == REQUEST_ABANDONED)
        free(request);
    else
        request->state = REQUEST_DONE;
}

/* Takes the first request from the queue. */
static struct request *take(struct store *store)
{
    struct request *request = store->first;
    store->first = request->next;
    if (store->first == NULL)
        store->end = &store->first;
    return request;
}

/* Answers the requests that wait. With the mutex, which is free while the database works. */
static void work_once(struct store *store)
{
    struct request *batch[NUMBERS_BATCH_MAX];
    struct store_question *questions[NUMBERS_BATCH_MAX];
    struct store_error error = {""};
    pthread_cond_t *answers = &store->conditions[ANSWERS];
    pthread_cond_t *announced = store->first->announced;
    size_t count = 0;
    int result;
    for (; store->first != NULL && count < NUMBERS_BATCH_MAX; count++) {
        batch[count] = take(store);
        batch[count]->state = REQUEST_RUNNING;
        questions[count] = &batch[count]->question;
    }
    if (store->first == NULL)
        store->batch++;
    pthread_mutex_unlock(&store->mutex);
    result = numbers_ask(store->numbers, questions, count, &error);
    pthread_mutex_lock(&store->mutex);
    for (size_t i = 0; i < count; i++)
        finish(store, batch[i], result, &error);
    while (result != 0 && store->first != NULL) /* the next ones would get the same error */
        finish(store, take(store), result, &error);
    /* The callers that wake up need the mutex. */
    pthread_mutex_unlock(&store->mutex);
    pthread_cond_broadcast(announced);
    if (result != 0)
        pthread_cond_broadcast(announced == answers ? answers + 1 : answers);
    pthread_mutex_lock(&store->mutex);
}

static void *run_thread(void *argument)
{
    struct store *store = argument;
    bool is_left;
    pthread_mutex_lock(&store->mutex);
    while (!store->is_ending) {
        if (store->first != NULL)
            work_once(store);
        else
            pthread_cond_wait(&store->conditions[WORK], &store->mutex);
    }
    store->is_running = false;
    is_left = store->is_left;
    pthread_cond_signal(&store->conditions[GONE]);
    pthread_mutex_unlock(&store->mutex);
    if (is_left)
        destroy(store);
    return NULL;
}

/* ---- the callers, with the mutex ---- */

/* Puts a request into the queue; starts the thread. Returns the request, or NULL with *error. */
static struct request *add_request(struct store *store, const struct store_question *question,
                                   struct store_error *error)
{
    struct request *request;
    int failed = store->is_started ? 0 : pthread_create(&store->thread, NULL, run_thread, store);
    if (failed != 0) {
        store_fail(error, "a thread cannot be started: %s", strerror(failed));
        return NULL;
    }
    store->is_running = store->is_running || !store->is_started;
    store->is_started = true;
    request = memory_new(1, sizeof *request);
    request->question = *question;
    request->announced = &store->conditions[ANSWERS + store->batch % 2];
    *store->end = request;
    store->end = &request->next;
    pthread_cond_signal(&store->conditions[WORK]);
    return request;
}

/* Removes a request that waits from the queue, and frees it. */
static void leave_queue(struct store *store, struct request *request)
{
    struct request **at = &store->first;
    while (*at != request)
        at = &(*at)->next;
    *at = request->next;
    if (*at == NULL)
        store->end = at;
    free(request);
}

/* Answers a question from the database; frees the mutex while it waits. Returns 0, or -1 with
 * *error. */
static int ask_database(struct store *store, struct store_question *question,
                        struct store_error *error)
{
    int64_t deadline = monotonic_now() + patience.store;
    struct timespec until = monotonic_at(deadline);
    struct request *request = add_request(store, question, error);
    int result = -1;
    if (request == NULL)
        return -1;
    while (request->state != REQUEST_DONE && monotonic_now() < deadline)
        pthread_cond_timedwait(request->announced, &store->mutex, &until);
    if (request->state == REQUEST_DONE) {
        result = request->result;
        *question = request->question;
        *error = request->error;
        free(request);
        return result;
    }
    if (request->state == REQUEST_WAITING)
        leave_queue(store, request);
    else
        request->state = REQUEST_ABANDONED;
    return store_fail(error, "it did not answer within %g s", (double)patience.store / 1000);
}

int store_ask(struct store *store, struct store_question *question, struct store_error *error)
{
    int result = 0;
    pthread_mutex_lock(&store->mutex);
    if (!recall(store, question))
        result = ask_database(store, question, error);
    pthread_mutex_unlock(&store->mutex);
    return result;
}

int store_try(struct store *store, struct store_error *error)
{
    struct store_question question = {.wish = STORE_LOOK};
    return store_ask(store, &question, error);
}
