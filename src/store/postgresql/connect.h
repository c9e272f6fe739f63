/*
 * connect - a connection to PostgreSQL, and errors that show no password
 *
 * libpq connects and waits by itself: it goes on to the next of several hosts, and
 * gives up one that is silent after connect_timeout.  A server that takes a
 * statement and stands still holds its worker until it goes on or the kernel gives
 * the connection up; those who ask do not wait for that (store/queue.h).  For the
 * files of this folder only.
 */
#ifndef MLMILTER_STORE_POSTGRESQL_CONNECT_H
#define MLMILTER_STORE_POSTGRESQL_CONNECT_H

#include "store/error.h"
#include "text/span.h"

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>

/* Why something failed. */
struct postgresql_fault {
    struct store_error error;
    char sqlstate[6]; /* "" where the server did not speak */
    bool broken;      /* the connection is, or was of no use; another one may be better */
};

/* As in store_driver. */
const char *postgresql_url_fault(struct span rest, char *room, size_t size);

/* Returns the connection string of the text after "postgresql:", for free(). A URI of libpq keeps
 * the scheme. */
char *postgresql_conninfo(struct span rest);

/* Connects, and sets the session up. The caller calls PQfinish. NULL with *fault. */
PGconn *postgresql_connect(const char *conninfo, struct postgresql_fault *fault);

/* Runs statements without values, all in one transaction. 0 or -1 with *fault. */
int postgresql_run(PGconn *pg, const char *sql, struct postgresql_fault *fault);

/* Fills *fault with what libpq (result is NULL) or the server says. Always -1. */
int postgresql_fail(PGconn *pg, const PGresult *result, struct postgresql_fault *fault);

#endif
