/*
 * store - numbers of posts that hold
 *
 * A counter per list, and for each post the number that it got.  One verb,
 * store_assign, says which number a post has; it is the same for every
 * transaction, thread, host and retry of that post, the next one for a new post,
 * durable before the call returns, never given twice and never lowered (SU-16,
 * SU-20, SU-21, R1-04).
 *
 * Behind it stand drivers (store/driver.h).  What they have in common is here:
 * requests of all threads wait in a queue, and a worker takes all that wait into
 * one transaction (group commit), so that a commit's price is shared; posts that
 * were answered before are remembered and cost no transaction.
 *
 * All functions may be called from any thread unless they say otherwise.
 */
#ifndef MLMILTER_STORE_STORE_H
#define MLMILTER_STORE_STORE_H

#include "plan/post.h"
#include "store/error.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most octets of a list's id (RFC 2919 2). */
#define STORE_LIST_MAX 255

/* What a post is known by. */
struct store_post {
    struct span list;                                   /* its id; ASCII letter case aside */
    unsigned char key[POST_KEY_OCTETS];                 /* stands for the Message-ID */
    unsigned char fingerprint[POST_FINGERPRINT_OCTETS]; /* for the post with that Message-ID */
    bool numbered;                                      /* a number is wanted */
};

struct store_answer {
    uint64_t number; /* 0: none was wanted, and the post has none */
    bool is_new;     /* store_look_up: the post, or its number, is not there yet */
    bool reused;     /* another post had this key first (SU-23) */
    unsigned char first_fingerprint[POST_FINGERPRINT_OCTETS]; /* of that one, or its own */
};

struct store;

struct store_driver;

/* Returns the store of a driver and of the text after "scheme:" (store/drivers.h: of a URL).
 * Nothing is opened yet. The worker threads start with the first request, after any fork. */
struct store *store_new_of(const struct store_driver *driver, const char *rest);

/* Ends the workers, and closes; nobody may ask any more. Both end in time whatever the database
 * does: a worker that is stuck in it (a disk that does not write, a server that stands still) is
 * left alone, and what it has is freed when it is done. store_leave waits for the workers at most
 * this many milliseconds, store_free as long as a request does. One thread. */
void store_leave(struct store *store, unsigned milliseconds);
void store_free(struct store *store);

/* The program is about to end: who waits for an answer has one or fails before this moment
 * (monotonic_now), whatever the database does, and who asks later fails. At least patience.store
 * from now: those who wait already may do so as long. */
void store_set_last_moment(struct store *store, int64_t moment);

/* Opens the store as the first request would. 0, or -1 with *error. */
int store_try(struct store *store, struct store_error *error);

/* The number of a post; see above. 0; -1 with *error: the store failed or did not answer in time
 * (patience.store; store/queue.h, if it answers others meanwhile). What failed may have been done
 * all the same: the same post then gets the same answer later. */
int store_assign(struct store *store, const struct store_post *post, struct store_answer *answer,
                 struct store_error *error);

/* Without writing: what the post has, or would get. A store that does not exist yet is like an
 * empty one. */
int store_look_up(struct store *store, const struct store_post *post, struct store_answer *answer,
                  struct store_error *error);

/* The last number that was given or set; 0 if none. 0 or -1. */
int store_counter(struct store *store, struct span list, uint64_t *last, struct store_error *error);

/* Makes `last` the last number given. 0; 1: the counter is higher already (*now) and stays; -1. */
int store_set_counter(struct store *store, struct span list, uint64_t last, uint64_t *now,
                      struct store_error *error);

/* Forgets posts that were first seen more than `seconds` ago, of one list or of all (empty);
 * counters stay (SU-20). A copy of a forgotten post that still comes gets a new number. Which post
 * had a key first is known as long as any post with that key is: when only the first one is
 * forgotten, the others stay `reused`, and a copy of the first one that comes is not. *count: how
 * many. 0 or -1. */
int store_prune(struct store *store, struct span list, int64_t seconds, uint64_t *count,
                struct store_error *error);

#endif
