/*
 * store - numbers for many threads: one thread answers all questions that wait in one transaction
 *
 * A post comes in several transactions within minutes; recent answers are remembered and need no
 * database.  When the database fails, all questions that wait get its error; the next question
 * tries again.  When another session has locked the counter of a list, each list is asked alone.  A
 * question waits at most timeouts.store.
 */
#ifndef MLMILTER_STORE_STORE_H
#define MLMILTER_STORE_STORE_H

#include "plan/selection.h"
#include "store/numbers.h"

struct store;

/* Returns a store, which owns the numbers. Its thread starts with the first question, after any
 * fork. */
struct store *store_new(struct numbers *numbers);

/* Adds an owner. Returns the store. */
struct store *store_share(struct store *store);

/* Ends an ownership. With the last one ends the thread and frees the store, which no thread may use
 * any longer. Waits at most this many milliseconds: a thread that is stuck in the database frees
 * the store when it returns. store may be NULL. */
void store_free(struct store *store, unsigned milliseconds);

/* Answers a question. Returns 0, or -1 with *error if the store failed or did not answer in time.
 * After an error a number may have been given all the same; then the next question returns it. Any
 * thread. */
int store_ask(struct store *store, struct store_question *question, struct store_error *error);

/* The last result of the store. */
struct store_news {
    bool is_created;          /* a database that was missing, since store_new */
    bool is_failing;          /* the last question failed */
    int64_t failed;           /* when one failed last, in seconds since 1970; 0: never */
    struct store_error error; /* of that one */
};

/* Sets *news. Any thread. */
void store_get_news(struct store *store, struct store_news *news);

/* Called when is_created or is_failing changes, by any thread; must not call the store. NULL:
 * nothing. */
extern void (*store_has_news)(void);

/* Opens the store as the first question would. Returns 0, or -1 with *error. Any thread. */
int store_try(struct store *store, struct store_error *error);

/* Asks the daemon's store, or else mlmilterctl's numbers, about a post; fails if both are NULL.
 * Sets *record to the answer, or to RECORD_FAILED. A store that is read only writes nothing
 * (RULINGS 55, 72). Returns 0, or -1 with *error. */
int post_ask(struct store *store, struct numbers *numbers, const struct selection *selection,
             const struct post *post, struct post_record *record, struct store_error *error);

#endif
