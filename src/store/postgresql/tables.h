/*
 * tables - the tables, and the statements that are prepared
 *
 *   mlmilter_counter   a list and the last number that was given; where somebody lowered it, the
 *                      highest number of a post counts
 *   mlmilter_post      a post, its number (NULL: none was wanted yet), the fingerprint of the first
 *                      post with this key (NULL: its own) and when it was first seen
 *   mlmilter_version   1
 *
 * For the files of this folder only.
 */
#ifndef MLMILTER_STORE_POSTGRESQL_TABLES_H
#define MLMILTER_STORE_POSTGRESQL_TABLES_H

#include "store/postgresql/exchange.h"

/* The names of the prepared statements; their values are below, in tables.c. */
#define POSTGRESQL_MAKE_COUNTERS "mlmilter_make_counters"
#define POSTGRESQL_LOCK_COUNTERS "mlmilter_lock_counters"
#define POSTGRESQL_ASSIGN        "mlmilter_assign"

/* Are the tables of our version? 0 or -1 with *fault, whose sqlstate says whether they are not
 * there at all. */
int postgresql_check_tables(PGconn *pg, struct postgresql_fault *fault);
#define POSTGRESQL_NO_TABLE "42P01"

/* Checks the tables, and prepares the statements. Makes the tables if they are not there and may be
 * made; two may do it at once. */
int postgresql_make_tables(PGconn *pg, bool may_make, struct postgresql_fault *fault);

#endif
