/*
 * store - durable numbers of posts
 *
 * The store keeps a counter for each list and a number for each post.  store_assign
 * returns the number of a post: equal for every transaction, thread, host and retry
 * of that post, and the next one for a new post.  A number is durable before the call
 * returns, never given twice and never lowered (SU-16, SU-20, SU-21, R1-04).
 *
 * Databases are drivers (store/driver.h).  Requests of all threads wait in a queue; a
 * worker puts all waiting posts into one transaction (group commit).  Recent answers
 * are remembered and need no transaction.
 *
 * Any thread may call these functions, except where noted.
 */
#ifndef MLMILTER_STORE_STORE_H
#define MLMILTER_STORE_STORE_H

#include "plan/post.h"
#include "store/error.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum length of a list id in bytes (RFC 2919 2). */
#define STORE_LIST_MAX 255

/* The identity of a post. */
struct store_post {
    struct span list;                                   /* its id, in any ASCII letter case */
    unsigned char key[POST_KEY_OCTETS];                 /* digest of the Message-ID */
    unsigned char fingerprint[POST_FINGERPRINT_OCTETS]; /* of the post with that Message-ID */
    bool numbered;                                      /* a number is wanted */
};

struct store_answer {
    uint64_t number; /* 0: no number */
    bool is_new;     /* store_look_up: the post, or its number, does not exist yet */
    bool reused;     /* another post had this key first (SU-23) */
    unsigned char first_fingerprint[POST_FINGERPRINT_OCTETS]; /* of the first post with this key */
};

struct store;

struct store_driver;

/* Returns the store of a driver and of the text after "scheme:" (store/drivers.h: of a URL).
 * Nothing is opened yet. The worker threads start with the first request, after any fork. */
struct store *store_new_of(const struct store_driver *driver, const char *rest);

/* End the workers and close the store; no thread may use it any longer. A worker that is stuck in
 * the database is abandoned and frees its memory when it returns. store_leave waits for the workers
 * at most this many milliseconds, store_free as long as a request. One thread. */
void store_leave(struct store *store, unsigned milliseconds);
void store_free(struct store *store);

/* Sets the moment (monotonic_now) by which all requests are answered or fail, before the program
 * ends. At least patience.store from now, as a request that waits already may take so long. */
void store_set_last_moment(struct store *store, int64_t moment);

/* Opens the store as the first request would. Returns 0, or -1 with *error. */
int store_try(struct store *store, struct store_error *error);

/* Assigns a number to a post, or finds the number that it has. Returns 0, or -1 with *error
 * if the store failed or did not answer in time (patience.store; store/queue.h). A failed request
 * may still be carried out; then the post gets its number at the next request. */
int store_assign(struct store *store, const struct store_post *post, struct store_answer *answer,
                 struct store_error *error);

/* Looks up the number that the post has or would get. Writes nothing. A missing store is like an
 * empty one. Returns 0, or -1 with *error. */
int store_look_up(struct store *store, const struct store_post *post, struct store_answer *answer,
                  struct store_error *error);

/* Sets *last to the last number that was given or set, or 0. Returns 0, or -1 with *error. */
int store_counter(struct store *store, struct span list, uint64_t *last, struct store_error *error);

/* Sets the counter to `last`. Returns 0; 1 if it is higher already (*now), unchanged; or -1 with
 * *error. */
int store_set_counter(struct store *store, struct span list, uint64_t last, uint64_t *now,
                      struct store_error *error);

/* Deletes posts of one list, or of all (empty), that were first seen more than `seconds` ago.
 * Counters stay (SU-20). A later copy of a deleted post gets a new number. The first post with a
 * key is known while a post with that key exists: if only the first one is deleted, the others stay
 * `reused`, and a new copy of it is not. Sets *count to the number of posts. Returns 0, or -1 with
 * *error. */
int store_prune(struct store *store, struct span list, int64_t seconds, uint64_t *count,
                struct store_error *error);

#endif
