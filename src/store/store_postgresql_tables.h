/*
 * store_postgresql_tables - the tables, and what a new connection is told
 *
 *   mlmilter_counter   a list and the last number that was given
 *   mlmilter_post      a post, its number (NULL: none was wanted yet) and when it was first seen;
 *                      ids grow in the order in which posts of a list came
 *   mlmilter_version   1
 *
 * For the files of the PostgreSQL driver only.
 */
#ifndef MLMILTER_STORE_STORE_POSTGRESQL_TABLES_H
#define MLMILTER_STORE_STORE_POSTGRESQL_TABLES_H

#include "store/store_postgresql_exchange.h"

/* The names of the prepared statements; their values are below, in store_postgresql_tables.c. */
#define POSTGRESQL_MAKE_COUNTERS "mlmilter_make_counters"
#define POSTGRESQL_LOCK_COUNTERS "mlmilter_lock_counters"
#define POSTGRESQL_ASSIGN        "mlmilter_assign"

/* Settings of the session. 0 or -1 with *fault. */
int postgresql_set_up(struct postgresql_session *s, struct postgresql_fault *fault);

/* Makes the tables that are not there, or checks their version, and prepares the statements. Two
 * may do it at once. 0 or -1 with *fault. */
int postgresql_make_tables(struct postgresql_session *s, struct postgresql_fault *fault);

#endif
