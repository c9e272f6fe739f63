/*
 * store_postgresql_values - values and results of statements in PostgreSQL's binary form
 *
 * For the files of the PostgreSQL driver only.
 */
#ifndef MLMILTER_STORE_POSTGRESQL_STORE_POSTGRESQL_VALUES_H
#define MLMILTER_STORE_POSTGRESQL_STORE_POSTGRESQL_VALUES_H

#include "store/driver.h"
#include "store/postgresql/store_postgresql_exchange.h"

void postgresql_put_int64(unsigned char to[8], uint64_t n);

/* 0 for NULL and for what is no bigint. */
uint64_t postgresql_get_int64(const PGresult *result, int row, int column);

/* 0; -1: it is none. */
int postgresql_get_fingerprint(const PGresult *result, int row, int column,
                               unsigned char to[STORE_FINGERPRINT_OCTETS]);

/* The next value of a statement, which borrows it. */
void postgresql_set_value(struct postgresql_statement *statement, const void *value, size_t n);
void postgresql_set_text(struct postgresql_statement *statement, struct span text);

/* The items' parts, each as an array. */
struct postgresql_arrays {
    unsigned char *octets;
    size_t keys, fingerprints, numbered, floors, end; /* where they begin; the lists at 0 */
};

/* Fills *a; the caller frees its octets. 0; -1: memory is out. */
int postgresql_arrays_make(struct postgresql_arrays *a, struct store_item *const *items,
                           size_t count);

#endif
