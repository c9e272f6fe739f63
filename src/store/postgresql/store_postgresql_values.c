/* store_postgresql_values - see store_postgresql_values.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store/postgresql/store_postgresql_values.h"

#include <stdlib.h>
#include <string.h>

/* Type numbers of PostgreSQL that are part of its protocol (pg_type.dat: they never change). */
#define TYPE_BOOL  16
#define TYPE_BYTEA 17
#define TYPE_INT8  20
#define TYPE_TEXT  25

static unsigned char *put_octets(unsigned char *to, const void *from, size_t n)
{
    if (n)
        memcpy(to, from, n);
    return to + n;
}

static unsigned char *put_int32(unsigned char *to, uint32_t n)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *to++ = (unsigned char)(n >> shift);
    return to;
}

void postgresql_put_int64(unsigned char to[8], uint64_t n)
{
    put_int32(put_int32(to, (uint32_t)(n >> 32)), (uint32_t)n);
}

uint64_t postgresql_get_int64(const PGresult *result, int row, int column)
{
    uint64_t n = 0;

    if (PQgetisnull(result, row, column) || PQgetlength(result, row, column) != 8)
        return 0;
    for (int i = 0; i < 8; i++)
        n = n << 8 | (unsigned char)PQgetvalue(result, row, column)[i];
    return n;
}

int postgresql_get_fingerprint(const PGresult *result, int row, int column,
                               unsigned char to[STORE_FINGERPRINT_OCTETS])
{
    if (PQgetlength(result, row, column) != STORE_FINGERPRINT_OCTETS)
        return -1;
    memcpy(to, PQgetvalue(result, row, column), STORE_FINGERPRINT_OCTETS);
    return 0;
}

void postgresql_set_value(struct postgresql_statement *statement, const void *value, size_t n)
{
    statement->values[statement->count] = value;
    statement->lengths[statement->count] = (int)n;
    statement->count++;
}

/* A text of length 0 must not be a null pointer, which stands for NULL. */
void postgresql_set_text(struct postgresql_statement *statement, struct span text)
{
    postgresql_set_value(statement, text.n ? text.p : "", text.n);
}

/* The octets of an array: its head, then for each item the length and as many octets. */
#define ARRAY_HEAD 20

/* number of dimensions, are there NULLs, type, items, index of the first */
static unsigned char *put_array(unsigned char *to, uint32_t type, size_t count)
{
    to = put_int32(to, 1);
    to = put_int32(to, 0);
    to = put_int32(to, type);
    to = put_int32(to, (uint32_t)count);
    return put_int32(to, 1);
}

static unsigned char *put_element(unsigned char *to, const void *octets, size_t n)
{
    return put_octets(put_int32(to, (uint32_t)n), octets, n);
}

static size_t arrays_measure(struct postgresql_arrays *a, struct store_item *const *items,
                             size_t count)
{
    a->keys = ARRAY_HEAD;
    for (size_t i = 0; i < count; i++)
        a->keys += 4 + items[i]->post.list.n;
    a->fingerprints = a->keys + ARRAY_HEAD + count * (4 + STORE_KEY_OCTETS);
    a->numbered = a->fingerprints + ARRAY_HEAD + count * (4 + STORE_FINGERPRINT_OCTETS);
    a->floors = a->numbered + ARRAY_HEAD + count * (4 + 1);
    a->end = a->floors + ARRAY_HEAD + count * (4 + 8);
    return a->end;
}

int postgresql_arrays_make(struct postgresql_arrays *a, struct store_item *const *items,
                           size_t count)
{
    unsigned char floor[8];
    unsigned char *p;

    a->octets = p = malloc(arrays_measure(a, items, count));
    if (!p)
        return -1;
    p = put_array(p, TYPE_TEXT, count);
    for (size_t i = 0; i < count; i++)
        p = put_element(p, items[i]->post.list.p, items[i]->post.list.n);
    p = put_array(p, TYPE_BYTEA, count);
    for (size_t i = 0; i < count; i++)
        p = put_element(p, items[i]->post.key, STORE_KEY_OCTETS);
    p = put_array(p, TYPE_BYTEA, count);
    for (size_t i = 0; i < count; i++)
        p = put_element(p, items[i]->post.fingerprint, STORE_FINGERPRINT_OCTETS);
    p = put_array(p, TYPE_BOOL, count);
    for (size_t i = 0; i < count; i++)
        p = put_element(p, items[i]->post.numbered ? "\1" : "\0", 1);
    p = put_array(p, TYPE_INT8, count);
    for (size_t i = 0; i < count; i++) {
        postgresql_put_int64(floor, items[i]->floor);
        p = put_element(p, floor, sizeof floor);
    }
    return 0;
}
