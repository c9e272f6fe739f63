/*
 * store - see store.h
 *
 * The life of a store: store_new makes it, with one owner.  The first question starts its thread,
 * which alone uses the numbers.  Callers add their questions to the batch that waits; the thread
 * takes the whole batch and answers it, while the next one gathers.  When the last owner leaves,
 * store_free waits for the thread and destroys the store.  If the thread does not end in time,
 * store_free leaves the store to it, and the thread destroys it at its end.  One mutex guards all
 * but the numbers and a batch that the thread has taken; it is never held while the database works.
 * A batch is freed by its last user: the thread or a caller.
 */
#include "store/store.h"

#include "system/monotonic.h"
#include "system/timeouts.h"
#include "text/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REMEMBERED 4096 /* recent answers */
#define LOCKED     256  /* places of lists whose counter was locked */

/* While a database hangs, callers give up and ask again: without a limit they fill the memory. */
#define WAITING_MAX 16384

struct asked {
    struct store_question question; /* the first member: finish() finds the rest by it */
    bool is_done;
    int result;
    struct store_error error; /* if result is -1 */
};

/* Questions that were asked while the database worked. */
struct batch {
    struct asked *asked;
    size_t count;
    size_t capacity;
    size_t users;  /* callers that wait, and the thread */
    int64_t until; /* end of the first caller's time */
    pthread_cond_t done;
};

/* Questions of a batch for one transaction. */
struct part {
    struct store_question *questions[NUMBERS_BATCH_MAX];
    size_t count;
    size_t done; /* the first ones, which were given back */
};

/* A recent answer; `since` is 0 if there is none. */
struct remembered {
    int64_t since;
    struct store_question question;
};

struct store {
    struct numbers *numbers; /* of the thread */
    bool was_locked[LOCKED]; /* of the thread; by a hash of the list */
    pthread_mutex_t mutex;
    pthread_cond_t work;   /* a batch waits, or the store ends */
    pthread_cond_t ended;  /* the thread has ended */
    struct batch *waiting; /* NULL: none */
    unsigned owners;
    bool is_running;
    bool is_left; /* by its last owner: the thread destroys it */
    struct store_news news;
    struct remembered remembered[REMEMBERED];
};

void (*store_has_news)(void);

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

static uint32_t hash_list(const char *list, uint32_t hash)
{
    for (const char *p = list; *p != '\0'; p++)
        hash = hash * 31 + (unsigned char)*p;
    return hash;
}

/* Returns the place of a post. The key is a digest: a part of it is a hash. */
static struct remembered *get_place(struct store *store, const struct store_question *question)
{
    uint32_t hash;
    memcpy(&hash, question->key, sizeof hash);
    return &store->remembered[hash_list(question->list, hash) % REMEMBERED];
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
    if (place->since == 0 || monotonic_now() - place->since >= timeouts.store_remembered ||
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
        store->waiting->until = monotonic_now() + timeouts.store;
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
    free(batch->asked);
    free(batch);
}

/* Notes the result of a question, and reports it if it differs from the last one. */
static void note_result(struct store *store, bool is_created, int result,
                        const struct store_error *error)
{
    struct store_news *news = &store->news;
    bool is_news = news->is_failing != (result != 0) || news->is_created != is_created;
    news->is_created = is_created;
    news->is_failing = result != 0;
    if (result != 0) {
        news->failed = (int64_t)time(NULL);
        news->error = *error;
    }
    if (is_news && store_has_news != NULL)
        store_has_news();
}

/* ---- the thread, without the mutex ---- */

/* Gives the next n questions back to their callers. */
static void finish(struct store *store, struct batch *batch, struct part *part, size_t n,
                   int result, const struct store_error *error)
{
    pthread_mutex_lock(&store->mutex);
    for (size_t end = part->done + n; part->done < end; part->done++) {
        struct asked *asked = (struct asked *)(void *)part->questions[part->done];
        asked->is_done = true;
        asked->result = result;
        asked->error = *error;
        if (result == 0)
            remember(store, &asked->question);
    }
    note_result(store, numbers_are_new(store->numbers), result, error);
    pthread_mutex_unlock(&store->mutex); /* the callers that wake up need it */
    pthread_cond_broadcast(&batch->done);
}

static bool *place_of_lock(struct store *store, const char *list)
{
    return &store->was_locked[hash_list(list, 0) % LOCKED];
}

/* Asks each list alone, so that a locked counter delays its own list only. All of them together
 * wait at most timeouts.store_lock, as other posts wait meanwhile. Returns 0; or -1 with *error if
 * the database failed, before all are done. */
static int ask_each_list(struct store *store, struct batch *batch, struct part *part,
                         struct store_error *error)
{
    int64_t until = monotonic_now() + timeouts.store_lock;
    int result = 0;
    if (until > batch->until)
        until = batch->until;
    numbers_sort(part->questions, part->count);
    while (part->done < part->count && result >= 0) {
        const char *list = part->questions[part->done]->list;
        size_t n = 1, lists = 1; /* of this list; that are left */
        int64_t share;           /* of the time */
        for (size_t i = part->done + 1; i < part->count; i++) {
            lists += strcmp(part->questions[i]->list, part->questions[i - 1]->list) != 0;
            n += lists == 1;
        }
        share = (until - monotonic_now()) / (int64_t)lists;
        numbers_limit(store->numbers, share > 1 ? (unsigned)share : 1);
        result = numbers_ask(store->numbers, part->questions + part->done, n, error);
        *place_of_lock(store, list) = result > 0;
        if (result >= 0)
            finish(store, batch, part, n, result == 0 ? 0 : -1, error);
    }
    return result < 0 ? -1 : 0;
}

/* Asks questions in one transaction; if a counter is locked, each list alone. Returns as
 * ask_each_list does. */
static int ask_together(struct store *store, struct batch *batch, struct part *part,
                        struct store_error *error)
{
    int result;
    numbers_limit(store->numbers, 0);
    result = numbers_ask(store->numbers, part->questions, part->count, error);
    if (result > 0)
        return ask_each_list(store, batch, part, error);
    if (result == 0)
        finish(store, batch, part, part->count, 0, error);
    return result;
}

/* Takes questions of a batch from *at on, as many as one transaction may have: of lists whose
 * counter was not locked when they were asked last, or all that are left, as a counter may be free
 * again since. Returns true if there are any. */
static bool take_part(struct store *store, struct batch *batch, size_t *at, bool takes_all,
                      struct part *part)
{
    part->count = part->done = 0;
    for (; *at < batch->count && part->count < NUMBERS_BATCH_MAX; ++*at) {
        struct asked *asked = &batch->asked[*at];
        if (!asked->is_done && (takes_all || !*place_of_lock(store, asked->question.list)))
            part->questions[part->count++] = &asked->question;
    }
    return part->count > 0;
}

/* Takes the batch that waits. */
static struct batch *take_waiting(struct store *store)
{
    struct batch *batch;
    pthread_mutex_lock(&store->mutex);
    batch = store->waiting;
    store->waiting = NULL;
    pthread_mutex_unlock(&store->mutex);
    return batch;
}

/* Answers a batch, in as few transactions as its size permits. After a failure of the database
 * (failed: -1) all its questions have that *error; then returns the batch that waits, which would
 * get it, later. A caller that was answered may ask again, and its question is tried. */
static struct batch *answer(struct store *store, struct batch *batch, int failed,
                            struct store_error *error)
{
    struct batch *next = NULL;
    struct part part;
    for (int was_locked = 0; was_locked < 2; was_locked++)
        for (size_t at = 0; take_part(store, batch, &at, was_locked, &part);) {
            if (failed == 0) {
                failed = (was_locked ? ask_each_list : ask_together)(store, batch, &part, error);
                next = failed != 0 ? take_waiting(store) : NULL;
            }
            if (failed != 0)
                finish(store, batch, &part, part.count - part.done, -1, error);
        }
    return next;
}

/* Answers the batch that waits. */
static void answer_waiting(struct store *store)
{
    struct batch *batch = take_waiting(store), *next;
    struct store_error error = {""};
    for (int failed = 0; batch != NULL; failed = -1) {
        next = answer(store, batch, failed, &error);
        pthread_mutex_lock(&store->mutex);
        release_batch(batch);
        pthread_mutex_unlock(&store->mutex);
        batch = next;
    }
}

static void *run_thread(void *argument)
{
    struct store *store = argument;
    bool is_left;
    pthread_mutex_lock(&store->mutex);
    while (store->waiting != NULL || store->owners > 0) {
        if (store->waiting == NULL)
            pthread_cond_wait(&store->work, &store->mutex);
        pthread_mutex_unlock(&store->mutex);
        answer_waiting(store);
        pthread_mutex_lock(&store->mutex);
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

/* Answers a question from the database, and unlocks the mutex while it waits. Returns 0, or -1 with
 * *error. */
static int ask_database_unlocked(struct store *store, struct store_question *question,
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
    batch->asked = array_grow(batch->asked, at, &batch->capacity, sizeof *batch->asked);
    batch->asked[batch->count++] = (struct asked){.question = *question};
    batch->users++;
    pthread_mutex_unlock(&store->mutex); /* the thread needs it when it wakes up */
    pthread_cond_signal(&store->work);
    pthread_mutex_lock(&store->mutex);
    while (!batch->asked[at].is_done && waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&batch->done, &store->mutex, &until);
    if (batch->asked[at].is_done) {
        result = batch->asked[at].result;
        *question = batch->asked[at].question;
        *error = batch->asked[at].error;
    } else {
        store_fail(error, "it did not answer within %g s", (double)timeouts.store / 1000);
        note_result(store, store->news.is_created, -1, error);
    }
    release_batch(batch);
    return result;
}

int store_ask(struct store *store, struct store_question *question, struct store_error *error)
{
    int result = 0;
    pthread_mutex_lock(&store->mutex);
    if (!recall(store, question))
        result = ask_database_unlocked(store, question, error);
    pthread_mutex_unlock(&store->mutex);
    return result;
}

int store_try(struct store *store, struct store_error *error)
{
    struct store_question question = {.wish = STORE_LOOK};
    return store_ask(store, &question, error);
}

void store_get_news(struct store *store, struct store_news *news)
{
    pthread_mutex_lock(&store->mutex);
    *news = store->news;
    pthread_mutex_unlock(&store->mutex);
}
