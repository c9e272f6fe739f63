/*
 * store_postgresql_exchange - statements to PostgreSQL and their results, in bounded time
 *
 * For the files of the PostgreSQL driver only.
 */
#ifndef MLMILTER_STORE_POSTGRESQL_STORE_POSTGRESQL_EXCHANGE_H
#define MLMILTER_STORE_POSTGRESQL_STORE_POSTGRESQL_EXCHANGE_H

#include "store/store.h"

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

/* The most statements of one exchange, and the most values of a statement. */
#define POSTGRESQL_STATEMENTS 12
#define POSTGRESQL_VALUES     6

/* A statement. name alone: a prepared one; sql alone: one that is not; both: prepares it. Values
 * and results are binary. */
struct postgresql_statement {
    const char *name;
    const char *sql;
    int count; /* of values */
    const char *values[POSTGRESQL_VALUES];
    int lengths[POSTGRESQL_VALUES];
};

/* A connection that is open. */
struct postgresql_session {
    PGconn *pg;
    const char *conninfo; /* for errors: its password is not shown */
    int64_t deadline;     /* of the call under way; monotonic_now */
};

/* Why something failed. */
struct postgresql_fault {
    struct store_error error;
    char sqlstate[6]; /* "" where the server did not speak */
    bool broken;      /* the connection is, or was of no use; another one may be better */
};

/* Waits for events of poll(2). 1: there; 0: the deadline has passed; -1: errno. */
int postgresql_wait(int fd, short events, int64_t deadline);

/* Sends the statements as one pipeline, which is one transaction, and reads all results. 0 with
 * results[0 .. count], which the caller clears; -1 with *fault. */
int postgresql_exchange(struct postgresql_session *s, const struct postgresql_statement *statements,
                        int count, PGresult **results, struct postgresql_fault *fault);
void postgresql_clear(PGresult **results, int count);

/* The same where no result is of interest. */
int postgresql_do(struct postgresql_session *s, const struct postgresql_statement *statements,
                  int count, struct postgresql_fault *fault);

/* Fills *fault with libpq's text on one line, without the connection string's password. Always -1.
 */
int postgresql_fail(struct postgresql_fault *fault, const char *conninfo, const char *text);

#endif
