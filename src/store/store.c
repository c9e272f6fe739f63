/* store - see store.h: the batch that waits, the thread that answers it, and recent answers. One
 * mutex guards all of them; it is not held while the database works. */
#include "store/store.h"

#include "system/monotonic.h"
#include "system/timeouts.h"
#include "text/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Recent answers are kept so long; after that the database is asked again. */
#define REMEMBERED_MS (900 * INT64_C(1000))
#define REMEMBERED    4096

/* While a database hangs, callers give up and ask again: without a limit they fill the memory. */
#define WAITING_MAX 16384

/* Questions that were asked while the database worked. The last user frees the batch. */
struct batch {
    struct store_question *questions;
    size_t count;
    size_t capacity;
    size_t users; /* callers that wait, and the thread */
    bool is_done;
    int result;
    struct store_error error; /* if result is -1 */
    pthread_cond_t done;
};

/* A recent answer; `since` is 0 if there is none. */
struct remembered {
    int64_t since;
    struct store_question question;
};

struct store {
    struct numbers *numbers; /* of the thread */
    pthread_mutex_t mutex;
    pthread_cond_t work;   /* a batch waits, or the store ends */
    pthread_cond_t ended;  /* the thread has ended */
    struct batch *waiting; /* NULL: none */
    unsigned owners;
    bool is_running;
    bool is_left; /* by its last owner: the thread frees it */
    struct remembered remembered[REMEMBERED];
};

struct store *store_new(struct numbers *numbers)
{
    struct store *store = memory_new(1, sizeof *store);
    store->numbers = numbers;
    store->owners = 1;
    pthread_mutex_init(&store->mutex, NULL);
    monotonic_cond_init(&store->work);
    monotonic_cond_init(&store->ended);
    return store;
}

struct store *store_share(struct store *store)
{
    pthread_mutex_lock(&store->mutex);
    store->owners++;
    pthread_mutex_unlock(&store->mutex);
    return store;
}

static void destroy(struct store *store)
{
    pthread_cond_destroy(&store->work);
    pthread_cond_destroy(&store->ended);
    pthread_mutex_destroy(&store->mutex);
    numbers_free(store->numbers);
    free(store);
}

void store_free(struct store *store, unsigned milliseconds)
{
    struct timespec until = monotonic_deadline(milliseconds);
    int waited = 0;
    bool is_last, is_running;
    if (store == NULL)
        return;
    pthread_mutex_lock(&store->mutex);
    is_last = --store->owners == 0;
    pthread_cond_signal(&store->work);
    while (is_last && store->is_running && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&store->ended, &store->mutex, &until);
    is_running = store->is_running;
    store->is_left = is_last && is_running;
    pthread_mutex_unlock(&store->mutex);
    if (is_last && !is_running)
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

/* Fills the answer from a recent one, if it has the number that is wanted. Returns true if so. */
static bool recall(struct store *store, struct store_question *question)
{
    const struct remembered *place = get_place(store, question);
    const struct store_answer *answer = &place->question.answer;
    if (place->since == 0 || monotonic_now() - place->since >= REMEMBERED_MS ||
        !is_same_post(&place->question, question) || (question->numbered && answer->number == 0))
        return false;
    question->answer = *answer;
    return true;
}

static void remember(struct store *store, const struct store_question *question)
{
    struct remembered *place = get_place(store, question);
    if (question->answer.is_new)
        return;
    place->since = monotonic_now();
    place->question = *question;
}

/* ---- batches, with the mutex ---- */

/* Returns the batch that waits; creates it if there is none. */
static struct batch *get_waiting(struct store *store)
{
    if (store->waiting == NULL) {
        store->waiting = memory_new(1, sizeof *store->waiting);
        store->waiting->users = 1; /* the thread */
        monotonic_cond_init(&store->waiting->done);
    }
    return store->waiting;
}

/* Ends a use of a batch. */
static void release_batch(struct batch *batch)
{
    if (--batch->users > 0)
        return;
    pthread_cond_destroy(&batch->done);
    free(batch->questions);
    free(batch);
}

/* Gives a batch back to its callers. */
static void finish_batch(struct store *store, struct batch *batch, int result,
                         const struct store_error *error)
{
    batch->is_done = true;
    batch->result = result;
    batch->error = *error;
    for (size_t i = 0; i < batch->count && result == 0; i++)
        remember(store, &batch->questions[i]);
    /* The callers that wake up need the mutex. */
    pthread_mutex_unlock(&store->mutex);
    pthread_cond_broadcast(&batch->done);
    pthread_mutex_lock(&store->mutex);
    release_batch(batch);
}

/* ---- the thread ---- */

/* Answers a batch, in as few transactions as its size permits. Returns 0, or -1 with *error. */
static int answer(struct numbers *numbers, struct batch *batch, struct store_error *error)
{
    struct store_question *questions[NUMBERS_BATCH_MAX];
    int result = 0;
    for (size_t at = 0; at < batch->count && result == 0;) {
        size_t count = 0;
        while (at < batch->count && count < NUMBERS_BATCH_MAX)
            questions[count++] = &batch->questions[at++];
        result = numbers_ask(numbers, questions, count, error);
    }
    return result;
}

/* Answers the batch that waits. Holds the mutex, except while the database works. */
static void work_once(struct store *store)
{
    struct batch *batch = store->waiting, *next = NULL;
    struct store_error error = {""};
    int result;
    store->waiting = NULL;
    pthread_mutex_unlock(&store->mutex);
    result = answer(store->numbers, batch, &error);
    pthread_mutex_lock(&store->mutex);
    if (result != 0) { /* the next one would get the same error, later */
        next = store->waiting;
        store->waiting = NULL;
    }
    finish_batch(store, batch, result, &error);
    if (next != NULL)
        finish_batch(store, next, result, &error);
}

static void *run_thread(void *argument)
{
    struct store *store = argument;
    bool is_left;
    pthread_mutex_lock(&store->mutex);
    while (store->waiting != NULL || store->owners > 0) {
        if (store->waiting != NULL)
            work_once(store);
        else
            pthread_cond_wait(&store->work, &store->mutex);
    }
    store->is_running = false;
    is_left = store->is_left;
    pthread_cond_signal(&store->ended);
    pthread_mutex_unlock(&store->mutex);
    if (is_left)
        destroy(store);
    return NULL;
}

/* ---- the callers, with the mutex ---- */

/* Starts the thread, unless it runs. Returns 0, or -1 with *error. */
static int start_thread(struct store *store, struct store_error *error)
{
    pthread_t thread;
    int failed = store->is_running ? 0 : pthread_create(&thread, NULL, run_thread, store);
    if (failed != 0)
        return store_fail(error, "a thread cannot be started: %s", strerror(failed));
    if (!store->is_running)
        pthread_detach(thread);
    store->is_running = true;
    return 0;
}

/* Answers a question from the database; frees the mutex while it waits. Returns 0, or -1 with
 * *error. */
static int ask_database(struct store *store, struct store_question *question,
                        struct store_error *error)
{
    struct timespec until = monotonic_deadline(timeouts.store);
    struct batch *batch = get_waiting(store);
    size_t at = batch->count;
    int waited = 0, result = -1;
    if (at == WAITING_MAX)
        return store_fail(error, "too many posts wait for it");
    if (start_thread(store, error) != 0)
        return -1;
    batch->questions = array_grow(batch->questions, at, &batch->capacity, sizeof *question);
    batch->questions[batch->count++] = *question;
    batch->users++;
    pthread_mutex_unlock(&store->mutex); /* the thread needs it when it wakes up */
    pthread_cond_signal(&store->work);
    pthread_mutex_lock(&store->mutex);
    while (!batch->is_done && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&batch->done, &store->mutex, &until);
    if (batch->is_done) {
        result = batch->result;
        *question = batch->questions[at];
        *error = batch->error;
    } else {
        store_fail(error, "it did not answer within %g s", (double)timeouts.store / 1000);
    }
    release_batch(batch);
    return result;
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
