/*
 * store_postgresql_connection - a connection to PostgreSQL that cannot hang
 *
 * Everything is sent as one pipeline: its statements are one transaction, and
 * all answers come back in one round trip.  libpq is used without blocking, and
 * every wait has an end.  (What still blocks is the look-up of a host's name
 * while connecting; hostaddr= avoids it.)  One thread uses a connection; what
 * all connections of a store share locks itself.
 */
#ifndef MLMILTER_STORE_POSTGRESQL_STORE_POSTGRESQL_CONNECTION_H
#define MLMILTER_STORE_POSTGRESQL_STORE_POSTGRESQL_CONNECTION_H

#include "store/driver.h"
#include "store/postgresql/store_postgresql_exchange.h"

/* As in store_driver; shared holds when connecting failed, and why, and whether the tables were
 * ever there. */
void *postgresql_shared_new(const char *rest);
void postgresql_shared_free(void *shared);
struct driver_connection *postgresql_connection_new(const char *rest, void *shared);
void postgresql_connection_free(struct driver_connection *c);

/* Connects if need be and has the statements done, all or none; none at all is legal. writes: makes
 * the tables if they were never there, and prepares the statements of store_postgresql_tables.h. A
 * connection that was open and turns out to be broken is made again, and the statements are done
 * again: they are such that this does no harm. 0 with results[0 .. count], which the caller clears.
 * -1 with *fault: the connection is closed then, and what was sent may have been done all the same.
 * The fault's sqlstate is POSTGRESQL_NO_TABLE where the tables were never there. */
int postgresql_call(struct driver_connection *c, bool writes,
                    const struct postgresql_statement *statements, int count, PGresult **results,
                    struct postgresql_fault *fault);

#endif
