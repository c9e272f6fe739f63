/* store - the verbs: lists in lower case, what is remembered, and the queue behind */
#include "store/store.h"

#include "store/queue.h"
#include "store/remembered.h"
#include "system/monotonic.h"
#include "system/patience.h"
#include "text/ascii.h"
#include "text/memory.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct store {
    struct queue *queue;
    struct remembered *remembered;
};

struct store *store_new_of(const struct store_driver *driver, const char *rest)
{
    struct store *store = memory_new(1, sizeof *store);
    store->queue = queue_new(driver, rest, patience.store);
    store->remembered = remembered_new();
    return store;
}

void store_leave(struct store *store, unsigned milliseconds)
{
    if (store == NULL)
        return;
    queue_free(store->queue, milliseconds);
    remembered_free(store->remembered);
    free(store);
}

void store_free(struct store *store)
{
    store_leave(store, patience.store);
}

void store_set_last_moment(struct store *store, int64_t moment)
{
    queue_set_last_moment(store->queue, moment);
}

/* The list as it stands in the store, in room for STORE_LIST_MAX octets. 0 or -1. */
static int fold_list(struct span list, char *room, struct span *folded, struct store_error *error)
{
    if (list.n > STORE_LIST_MAX)
        return store_fail(error, "the list's id is longer than %d bytes", STORE_LIST_MAX);
    for (size_t i = 0; i < list.n; i++)
        room[i] = ascii_lower(list.p[i]);
    *folded = span_of(room, list.n);
    return 0;
}

/* A request about a list in any letter case; NULL with *error. */
static struct request *make_request(enum request_verb verb, struct span list,
                                    struct store_error *error)
{
    char room[STORE_LIST_MAX];
    struct span folded = span_of(NULL, 0);
    if (fold_list(list, room, &folded, error) != 0)
        return NULL;
    return request_new(verb, folded);
}

/* The request's result. -1 with *error: r is freed. */
static int ask(struct store *store, struct request *r, struct store_error *error)
{
    int result = queue_ask(store->queue, r, error);
    if (result != 0)
        return result;
    result = r->result;
    if (result == -1) {
        *error = r->error;
        request_free(r);
    }
    return result;
}

int store_try(struct store *store, struct store_error *error)
{
    struct request *r = make_request(REQUEST_OPEN, span_cstr(""), error);
    if (r == NULL || ask(store, r, error) != 0)
        return -1;
    request_free(r);
    return 0;
}

/* Asks about a post. r is freed. */
static int ask_post(struct store *store, struct request *r, const struct store_post *post,
                    struct store_answer *answer, struct store_error *error)
{
    memcpy(r->item.post.key, post->key, sizeof post->key);
    memcpy(r->item.post.fingerprint, post->fingerprint, sizeof post->fingerprint);
    r->item.post.numbered = post->numbered;
    if (ask(store, r, error) != 0)
        return -1;
    *answer = r->item.answer;
    request_free(r);
    return 0;
}

int store_assign(struct store *store, const struct store_post *post, struct store_answer *answer,
                 struct store_error *error)
{
    char room[STORE_LIST_MAX];
    struct store_post folded = *post;
    struct request *r;
    int64_t now = monotonic_now() / 1000;
    if (fold_list(post->list, room, &folded.list, error) != 0)
        return -1;
    if (remembered_find(store->remembered, &folded, now, answer))
        return 0;
    r = request_new(REQUEST_ASSIGN, folded.list);
    if (ask_post(store, r, &folded, answer, error) != 0)
        return -1;
    remembered_add(store->remembered, &folded, now, answer);
    return 0;
}

int store_look_up(struct store *store, const struct store_post *post, struct store_answer *answer,
                  struct store_error *error)
{
    struct request *r = make_request(REQUEST_LOOK_UP, post->list, error);
    return r == NULL ? -1 : ask_post(store, r, post, answer, error);
}

int store_counter(struct store *store, struct span list, uint64_t *last, struct store_error *error)
{
    struct request *r = make_request(REQUEST_COUNTER, list, error);
    if (r == NULL || ask(store, r, error) != 0)
        return -1;
    *last = r->number;
    request_free(r);
    return 0;
}

int store_set_counter(struct store *store, struct span list, uint64_t last, uint64_t *now,
                      struct store_error *error)
{
    struct request *r;
    int result;
    if (last > POST_NUMBER_MAX)
        return store_fail(error, "the number is too large");
    r = make_request(REQUEST_SET_COUNTER, list, error);
    if (r == NULL)
        return -1;
    r->number = last;
    result = ask(store, r, error);
    if (result == -1)
        return -1;
    *now = r->number;
    request_free(r);
    return result;
}

int store_prune(struct store *store, struct span list, int64_t seconds, uint64_t *count,
                struct store_error *error)
{
    int64_t now = (int64_t)time(NULL);
    uint64_t part = 0;
    *count = 0;
    do {
        struct request *r = make_request(REQUEST_PRUNE, list, error);
        if (r == NULL)
            return -1;
        r->older_than = now - seconds;
        if (part > 0)
            monotonic_sleep(patience.store_pause);
        if (ask(store, r, error) != 0)
            return -1;
        part = r->number;
        *count += part;
        request_free(r);
        remembered_clear(store->remembered);
    } while (part > 0);
    return 0;
}
