/*
 * database - the statements that a database runs for numbers.c (types only)
 *
 * A driver is one file with a struct driver; url.c lists the drivers.  One thread uses a database.
 * A driver's time-outs are shorter than the time-out of a caller (store.h).
 */
#ifndef MLMILTER_STORE_DATABASE_H
#define MLMILTER_STORE_DATABASE_H

#include "plan/post.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A statement uses some parameters, the first members of struct query. A row has up to three
 * columns: two numbers and a fingerprint. */
enum statement {
    STATEMENT_BEGIN,     /* begins a transaction that writes */
    STATEMENT_LIMIT,     /* number: limits the wait for a locked row until COMMIT, milliseconds */
    STATEMENT_COMMIT,    /* returns when the transaction is on disk */
    STATEMENT_LOOK_LIST, /* list: returns its last number */
    STATEMENT_GET_LIST,  /* list: returns its last number, and locks it until COMMIT */
    STATEMENT_ADD_LIST,  /* list: adds it with the last number 0, unless it exists */
    STATEMENT_SET_LIST,  /* list, number: sets its last number */
    STATEMENT_GET_POST,  /* list, key, fingerprint: returns the post's number, 1 (0 if only other
                            posts have the key), and the fingerprint of the first post with it */
    STATEMENT_PUT_POST,  /* all: adds the post, or sets its number */
    STATEMENT_PRUNE,     /* list (empty: all), time: deletes some posts first seen before that time;
                            `rows` is 0 when there are none left */
    STATEMENT_COUNT
};

/* A statement with its parameters, and the row that it returned. */
struct query {
    enum statement statement;
    const char *list;                 /* 1 */
    const unsigned char *key;         /* 2 */
    const unsigned char *fingerprint; /* 3 */
    uint64_t number;                  /* 4; 0 is NULL */
    const unsigned char *first;       /* 5; fingerprint of the first post, NULL: its own */
    int64_t time;                     /* 6; when the post was first seen */

    int64_t rows;        /* rows that were returned or changed */
    uint64_t numbers[2]; /* the row; NULL is 0 */
    unsigned char found[POST_FINGERPRINT_OCTETS];
};

/* An error for the log: a NUL-terminated text of one line. */
struct store_error {
    char text[256];
};

/* Sets *error. The text is cut to fit; control characters become blanks. Always returns -1. */
int store_fail(struct store_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct database;

enum opened {
    OPEN_FAILED = -1, /* *error is set, by store_fail */
    OPENED,
    OPENED_NEW,  /* and created what was missing */
    OPENED_EMPTY /* read only, and nothing is there */
};

struct driver {
    /* Returns a database that is not open. where: the URL without its scheme. */
    struct database *(*create)(const char *where, bool read_only);

    /* Closes and frees the database. */
    void (*free)(struct database *database);

    /* Opens the database if it is not open, and creates what is missing. With read_only, creates
     * and writes nothing. */
    enum opened (*open)(struct database *database, struct store_error *error);

    /* Closes the database, and with it an unfinished transaction. */
    void (*close)(struct database *database);

    /* Runs the queries in order, in one round trip. Returns 0; 1 with *error if a row is locked; or
     * -1 with *error. After an error the caller closes the database. */
    int (*run)(struct database *database, struct query *queries, size_t count,
               struct store_error *error);
};

extern const struct driver driver_sqlite;
extern const struct driver driver_postgresql;

#endif
