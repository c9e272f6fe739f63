/*
 * call - statements on a connection that is made when it is needed, and again after it broke
 *
 * For the files of this folder only.
 */
#ifndef MLMILTER_STORE_POSTGRESQL_CALL_H
#define MLMILTER_STORE_POSTGRESQL_CALL_H

#include "store/driver.h"
#include "store/postgresql/exchange.h"

/* As in store_driver; shared tells whether the tables were ever there, and is freed with free(). */
void *postgresql_shared_new(const char *rest);
struct driver_connection *postgresql_connection_new(const char *rest, void *shared);
void postgresql_connection_free(struct driver_connection *c);

/* Connects if need be and has the statements done, all or none; none at all is legal. writes: makes
 * the tables if they were never there, and prepares the statements of tables.h. A connection that
 * was open and turns out to be broken is made again, and the statements are done again: they are
 * such that this does no harm. 0 with results[0 .. count], which the caller clears. -1 with *fault:
 * what was sent may have been done all the same, unless the server said no. The fault's sqlstate is
 * POSTGRESQL_NO_TABLE where the tables were never there. */
int postgresql_call(struct driver_connection *c, bool writes,
                    const struct postgresql_statement *statements, int count, PGresult **results,
                    struct postgresql_fault *fault);

#endif
