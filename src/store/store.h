/*
 * store - numbers for many threads: questions wait in a queue, and one thread answers all that
 * wait in one transaction (group commit)
 *
 * A post comes in several transactions within minutes; recent answers are remembered and need no
 * database.  When a transaction fails, all questions that wait get its error; the next question
 * tries again.  A question waits at most patience.store.
 */
#ifndef MLMILTER_STORE_STORE_H
#define MLMILTER_STORE_STORE_H

#include "store/error.h"
#include "store/numbers.h"

struct store;

/* Returns a store, which owns the numbers. Its thread starts with the first question, after any
 * fork. */
struct store *store_new(struct numbers *numbers);

/* Ends the thread and frees the store, which no thread may use any longer. Waits at most this many
 * milliseconds: a thread that is stuck in the database frees the store when it returns. */
void store_free(struct store *store, unsigned milliseconds);

/* Answers a question. Returns 0, or -1 with *error if the store failed or did not answer in time.
 * After an error a number may have been given all the same; then the next question returns it. Any
 * thread. */
int store_ask(struct store *store, struct store_question *question, struct store_error *error);

/* Opens the store as the first question would. Returns 0, or -1 with *error. Any thread. */
int store_try(struct store *store, struct store_error *error);

#endif
