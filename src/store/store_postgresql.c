/* store_postgresql - one database for several hosts; each verb is one round trip */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store/store_postgresql_connection.h"
#include "store/store_postgresql_tables.h"

#include <stdlib.h>
#include <string.h>

/* As many transactions at once; posts of one list wait for each other in the server anyway. */
#define CONNECTIONS 4

/* Type numbers of PostgreSQL that are part of its protocol (pg_type.dat: they never change). */
#define TYPE_BOOL  16
#define TYPE_BYTEA 17
#define TYPE_TEXT  25

/* What should not happen unless somebody else writes to the tables. */
#define WRONG_ROW "PostgreSQL: a row is not as it was written"

/* ---------------------------------------------------------------- binary values */

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

static void put_int64(unsigned char to[8], uint64_t n)
{
    put_int32(put_int32(to, (uint32_t)(n >> 32)), (uint32_t)n);
}

static uint64_t get_int64(const PGresult *result, int row, int column)
{
    uint64_t n = 0;

    if (PQgetisnull(result, row, column) || PQgetlength(result, row, column) != 8)
        return 0;
    for (int i = 0; i < 8; i++)
        n = n << 8 | (unsigned char)PQgetvalue(result, row, column)[i];
    return n;
}

/* 0; -1: it is none. */
static int get_fingerprint(const PGresult *result, int row, int column,
                           unsigned char to[STORE_FINGERPRINT_OCTETS])
{
    if (PQgetlength(result, row, column) != STORE_FINGERPRINT_OCTETS)
        return -1;
    memcpy(to, PQgetvalue(result, row, column), STORE_FINGERPRINT_OCTETS);
    return 0;
}

static void set_value(struct postgresql_statement *statement, const void *value, size_t n)
{
    statement->values[statement->count] = value;
    statement->lengths[statement->count] = (int)n;
    statement->count++;
}

/* A text of length 0 must not be a null pointer, which stands for NULL. */
static void set_text(struct postgresql_statement *statement, struct span text)
{
    set_value(statement, text.n ? text.p : "", text.n);
}

/* ---------------------------------------------------------------- arrays of items */

/* The octets of an array: its head, then for each item the length and as many octets. */
#define ARRAY_HEAD 20

struct arrays {
    unsigned char *octets;
    size_t keys, fingerprints, numbered, end; /* where they begin; the lists at 0 */
};

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

static int arrays_make(struct arrays *a, struct store_item *const *items, size_t count)
{
    unsigned char *p;

    a->keys = ARRAY_HEAD;
    for (size_t i = 0; i < count; i++)
        a->keys += 4 + items[i]->post.list.n;
    a->fingerprints = a->keys + ARRAY_HEAD + count * (4 + STORE_KEY_OCTETS);
    a->numbered = a->fingerprints + ARRAY_HEAD + count * (4 + STORE_FINGERPRINT_OCTETS);
    a->end = a->numbered + ARRAY_HEAD + count * (4 + 1);
    a->octets = p = malloc(a->end);
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
    return 0;
}

/* ---------------------------------------------------------------- assign */

/* reused: the first post with this key has another fingerprint. */
static int read_first(const PGresult *result, int row, int column, struct store_item *item)
{
    struct store_answer *answer = &item->answer;

    if (get_fingerprint(result, row, column, answer->first_fingerprint) != 0)
        return -1;
    answer->reused =
        memcmp(answer->first_fingerprint, item->post.fingerprint, STORE_FINGERPRINT_OCTETS) != 0;
    return 0;
}

static int read_answers(const PGresult *result, struct store_item **items, size_t count,
                        struct store_error *error)
{
    if (PQntuples(result) != (int)count)
        return store_fail(error, "PostgreSQL: the counters went away");
    for (size_t i = 0; i < count; i++) {
        items[i]->answer.is_new = false;
        items[i]->answer.number = get_int64(result, (int)i, 0);
        if (read_first(result, (int)i, 1, items[i]) != 0)
            return store_fail(error, WRONG_ROW);
        if (items[i]->post.numbered && items[i]->answer.number == 0)
            items[i]->refused = STORE_NUMBERS_USED_UP;
    }
    return 0;
}

/* After an answer got lost it is safe to ask again, here or in the caller: what was committed is
 * found, and the lock of the counter waits for what is being committed. */
static int assign(struct driver_connection *c, struct store_item **items, size_t count, int64_t now,
                  struct store_error *error)
{
    struct postgresql_statement statements[3] = {{.name = POSTGRESQL_MAKE_COUNTERS},
                                                 {.name = POSTGRESQL_LOCK_COUNTERS},
                                                 {.name = POSTGRESQL_ASSIGN}};
    PGresult *results[3];
    struct postgresql_fault fault;
    struct arrays a;
    unsigned char seen[8];
    int status;

    if (count == 0)
        return 0;
    if (arrays_make(&a, items, count) != 0)
        return store_fail(error, "out of memory");
    for (int i = 0; i < 3; i++)
        set_value(&statements[i], a.octets, a.keys);
    set_value(&statements[2], a.octets + a.keys, a.fingerprints - a.keys);
    set_value(&statements[2], a.octets + a.fingerprints, a.numbered - a.fingerprints);
    set_value(&statements[2], a.octets + a.numbered, a.end - a.numbered);
    put_int64(seen, (uint64_t)now);
    set_value(&statements[2], seen, sizeof seen);
    status =
        postgresql_call(c, POSTGRESQL_TABLES | POSTGRESQL_AGAIN, statements, 3, results, &fault);
    free(a.octets);
    if (status != 0) {
        *error = fault.error;
        return -1;
    }
    status = read_answers(results[2], items, count, error);
    postgresql_clear(results, 3);
    return status;
}

/* ---------------------------------------------------------------- look_up, counter */

/* One statement that only reads, with its result; *result is NULL when the tables are not there. */
static int ask(struct driver_connection *c, const struct postgresql_statement *statement,
               PGresult **result, struct store_error *error)
{
    struct postgresql_fault fault;

    *result = NULL;
    if (postgresql_call(c, POSTGRESQL_AGAIN, statement, 1, result, &fault) == 0)
        return 0;
    if (strcmp(fault.sqlstate, "42P01") == 0)
        return 0;
    *error = fault.error;
    return -1;
}

static int look_up(struct driver_connection *c, struct store_item *item, struct store_error *error)
{
    struct postgresql_statement statement = {
        .sql = "SELECT coalesce((SELECT last FROM mlmilter_counter WHERE list = $1::text), 0),"
               " p.number, coalesce(f.fingerprint, $3::bytea), p.id FROM (VALUES (1)) one (one)"
               " LEFT JOIN mlmilter_post p"
               " ON p.list = $1::text AND p.key = $2::bytea AND p.fingerprint = $3::bytea"
               " LEFT JOIN LATERAL (SELECT fingerprint FROM mlmilter_post"
               " WHERE list = $1::text AND key = $2::bytea ORDER BY id LIMIT 1) f ON true"};
    const struct store_post *post = &item->post;
    struct store_answer *answer = &item->answer;
    PGresult *result;
    int status = 0;

    set_text(&statement, post->list);
    set_value(&statement, post->key, STORE_KEY_OCTETS);
    set_value(&statement, post->fingerprint, STORE_FINGERPRINT_OCTETS);
    if (ask(c, &statement, &result, error) != 0)
        return -1;
    memset(answer, 0, sizeof *answer);
    memcpy(answer->first_fingerprint, post->fingerprint, STORE_FINGERPRINT_OCTETS);
    answer->is_new = true;
    answer->number = post->numbered ? 1 : 0;
    if (!result)
        return 0;
    if (PQntuples(result) != 1 || read_first(result, 0, 2, item) != 0) {
        status = store_fail(error, WRONG_ROW);
    } else {
        answer->is_new = PQgetisnull(result, 0, 3);
        if (!PQgetisnull(result, 0, 1))
            answer->number = get_int64(result, 0, 1);
        else if (post->numbered)
            answer->number = get_int64(result, 0, 0) + 1;
    }
    PQclear(result);
    return status;
}

static int counter(struct driver_connection *c, struct span list, uint64_t *last,
                   struct store_error *error)
{
    struct postgresql_statement statement = {
        .sql = "SELECT last FROM mlmilter_counter WHERE list = $1::text"};
    PGresult *result;

    set_text(&statement, list);
    if (ask(c, &statement, &result, error) != 0)
        return -1;
    *last = result && PQntuples(result) == 1 ? get_int64(result, 0, 0) : 0;
    PQclear(result);
    return 0;
}

/* ---------------------------------------------------------------- set_counter, prune */

static int set_counter(struct driver_connection *c, struct span list, uint64_t last, uint64_t *now,
                       struct store_error *error)
{
    /* The second sees what the first has done. */
    struct postgresql_statement statements[2] = {
        {.sql = "INSERT INTO mlmilter_counter AS c (list, last) VALUES ($1::text, $2::bigint)"
                " ON CONFLICT (list) DO UPDATE SET last = excluded.last"
                " WHERE c.last < excluded.last"},
        {.sql = "SELECT last FROM mlmilter_counter WHERE list = $1::text"}};
    PGresult *results[2];
    struct postgresql_fault fault;
    unsigned char value[8];

    put_int64(value, last);
    set_text(&statements[0], list);
    set_value(&statements[0], value, sizeof value);
    set_text(&statements[1], list);
    if (postgresql_call(c, POSTGRESQL_TABLES, statements, 2, results, &fault) != 0) {
        *error = fault.error;
        return -1;
    }
    *now = PQntuples(results[1]) == 1 ? get_int64(results[1], 0, 0) : 0;
    postgresql_clear(results, 2);
    if (*now < last)
        return store_fail(error, "PostgreSQL: the counter was not written");
    return *now > last ? 1 : 0;
}

static int prune(struct driver_connection *c, struct span list, int64_t older_than, uint64_t *count,
                 struct store_error *error)
{
    struct postgresql_statement statement = {
        .sql = "WITH gone AS (DELETE FROM mlmilter_post WHERE id IN (SELECT id FROM mlmilter_post"
               " WHERE seen < $1::bigint AND ($2::text = '' OR list = $2::text)"
               " ORDER BY seen LIMIT 10000) RETURNING 1) SELECT count(*) FROM gone"};
    struct postgresql_fault fault;
    unsigned char seen[8];
    PGresult *result;

    put_int64(seen, (uint64_t)older_than);
    set_value(&statement, seen, sizeof seen);
    set_text(&statement, list);
    if (postgresql_call(c, POSTGRESQL_TABLES, &statement, 1, &result, &fault) != 0) {
        *error = fault.error;
        return -1;
    }
    *count = get_int64(result, 0, 0);
    PQclear(result);
    return 0;
}

/* ---------------------------------------------------------------- the driver */

static int open_connection(struct driver_connection *c, struct store_error *error)
{
    struct postgresql_fault fault;

    if (postgresql_call(c, POSTGRESQL_TABLES, NULL, 0, NULL, &fault) == 0)
        return 0;
    *error = fault.error;
    return -1;
}

const struct store_driver store_postgresql = {
    .scheme = "postgresql",
    .connections = CONNECTIONS,
    .url_fault = postgresql_url_fault,
    .connection_new = postgresql_connection_new,
    .connection_free = postgresql_connection_free,
    .shared_new = postgresql_shared_new,
    .shared_free = postgresql_shared_free,
    .open = open_connection,
    .assign = assign,
    .look_up = look_up,
    .counter = counter,
    .set_counter = set_counter,
    .prune = prune,
};
