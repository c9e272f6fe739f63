/*
 * exchange - statements to PostgreSQL and their results, in its binary form
 *
 * For the files of this folder only.
 */
#ifndef MLMILTER_STORE_POSTGRESQL_EXCHANGE_H
#define MLMILTER_STORE_POSTGRESQL_EXCHANGE_H

#include "store/driver.h"
#include "store/postgresql/connect.h"
#include "text/strbuf.h"

#include <libpq-fe.h>
#include <stddef.h>
#include <stdint.h>

/* The most values of a statement. */
#define POSTGRESQL_VALUES 6

/* A statement. name alone: a prepared one; sql alone: one that is not; both: prepares it. */
struct postgresql_statement {
    const char *name;
    const char *sql;
    int count; /* of values */
    const char *values[POSTGRESQL_VALUES];
    int lengths[POSTGRESQL_VALUES];
};

/* Sends the statements as one pipeline, which is one transaction and one round trip, and reads all
 * results. 0 with results[0 .. count], which the caller clears; -1 with *fault. */
int postgresql_exchange(PGconn *pg, const struct postgresql_statement *statements, int count,
                        PGresult **results, struct postgresql_fault *fault);
void postgresql_clear(PGresult **results, int count);

/* ---------------------------------------------------------------- values */

/* The next value of a statement, which borrows it. */
void postgresql_set_value(struct postgresql_statement *statement, const void *value, size_t n);
void postgresql_set_text(struct postgresql_statement *statement, struct span text);

/* A bigint, as PostgreSQL has it on the wire, and back. */
int64_t postgresql_int64(uint64_t n);

/* A column of it; 0 for NULL and for what is no bigint. */
uint64_t postgresql_get_int64(const PGresult *result, int row, int column);

/* 0; -1: it is none. */
int postgresql_get_fingerprint(const PGresult *result, int row, int column,
                               unsigned char to[POST_FINGERPRINT_OCTETS]);

/* The items' parts, each as an array. */
struct postgresql_arrays {
    struct strbuf octets;
    size_t keys, fingerprints, numbered, floors; /* where they begin; the lists at 0 */
};

/* Fills *a; the caller frees its octets. */
void postgresql_arrays_make(struct postgresql_arrays *a, struct store_item *const *items,
                            size_t count);

#endif
