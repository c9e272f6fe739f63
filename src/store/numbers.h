/*
 * numbers - durable numbers of posts: the rule, on an open database
 *
 * The database has a counter for each list and a number for each post.  All copies of a post, over
 * transactions, hosts and retries, get one number, and a new post gets the next one.  A number is
 * on disk before a function returns, never given twice and never lowered (SU-16, SU-20, SU-21,
 * R1-04).
 *
 * For one thread; store.h serves many.
 */
#ifndef MLMILTER_STORE_NUMBERS_H
#define MLMILTER_STORE_NUMBERS_H

#include "store/database.h"
#include "text/span.h"

/* Maximum length of a list id in bytes (RFC 2919 2). */
#define STORE_LIST_MAX 255

/* Maximum number of questions in one transaction. */
#define NUMBERS_BATCH_MAX 256

enum store_wish {
    STORE_LOOK,           /* which number the post has or would get; nothing is written */
    STORE_ASSIGN,         /* a number, if one is wanted */
    STORE_ASSIGN_IF_FIRST /* as STORE_ASSIGN, but for a reused key as STORE_LOOK (SU-23) */
};

struct store_question {
    enum store_wish wish;
    bool numbered;                                      /* a number is wanted */
    char list[STORE_LIST_MAX + 1];                      /* of numbers_copy_list() */
    unsigned char key[POST_KEY_OCTETS];                 /* digest of the Message-ID */
    unsigned char fingerprint[POST_FINGERPRINT_OCTETS]; /* of the post with that Message-ID */
    struct store_answer answer;
};

/* Copies a list id in lower case, as lists are compared. Returns 0, or -1 with *error if it is too
 * long. */
int numbers_copy_list(char to[STORE_LIST_MAX + 1], struct span list, struct store_error *error);

struct numbers;

/* Returns the numbers in a database that is opened when it is needed. */
struct numbers *numbers_new(const struct driver *driver, const char *where, bool read_only);
void numbers_free(struct numbers *numbers);

/* Limits the wait for a counter that another session has locked, if the database locks each one. 0:
 * the limit is timeouts.store_lock, as at first. */
void numbers_limit(struct numbers *numbers, unsigned milliseconds);

/* True if these numbers created the database: it was missing, or empty. */
bool numbers_are_new(const struct numbers *numbers);

/* Sorts by list, for lists are locked in one order everywhere; keeps the order within a list. */
void numbers_sort(struct store_question **questions, size_t count);

/* Answers questions, at most NUMBERS_BATCH_MAX, in one transaction; sorts them by list. A database
 * that is read only takes each wish for STORE_LOOK. Returns 0; 1 with *error if another session has
 * locked a counter; or -1 with *error. After an error numbers may have been given all the same;
 * then the next question returns them. */
int numbers_ask(struct numbers *numbers, struct store_question **questions, size_t count,
                struct store_error *error);

/* Sets *last to the last number that was given or set, or 0. Returns 0, or -1 with *error. */
int numbers_show(struct numbers *numbers, struct span list, uint64_t *last,
                 struct store_error *error);

/* Sets the counter to `last`. Returns 0; 1 if it is higher (*now) and stays; or -1 with *error. */
int numbers_set(struct numbers *numbers, struct span list, uint64_t last, uint64_t *now,
                struct store_error *error);

/* Deletes posts of one list, or of all (empty), that were first seen more than `seconds` ago.
 * Counters stay (SU-20). A later copy of a deleted post gets a new number. The first post with a
 * key is known while a post with that key exists. After the first post of a key is deleted, its
 * later posts are still `reused`, and a new copy of the first one is not. Sets *count to the number
 * of posts. Returns 0, or -1 with *error. */
int numbers_prune(struct numbers *numbers, struct span list, int64_t seconds, uint64_t *count,
                  struct store_error *error);

#endif
