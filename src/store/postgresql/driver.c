/* driver - one database for several hosts; each verb is one round trip */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store/postgresql/driver.h"

#include "store/postgresql/call.h"
#include "store/postgresql/tables.h"
#include "system/monotonic.h"
#include "system/patience.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As many transactions at once; posts of one list wait for each other in the server anyway. */
#define CONNECTIONS 4

/* The last number of the list $1: the counter, or a post's where that was lowered. */
#define LAST                                                                                       \
    "greatest((SELECT last FROM mlmilter_counter WHERE list = $1::text),"                          \
    " (SELECT max(number) FROM mlmilter_post WHERE list = $1::text AND number IS NOT NULL), 0)"

/* What should not happen unless somebody else writes to the tables. */
#define WRONG_ROW "PostgreSQL: a row is not as it was written"

/* ---------------------------------------------------------------- assign */

/* reused: the first post with this key has another fingerprint. */
static int read_first(const PGresult *result, int row, int column, struct store_item *item)
{
    struct store_answer *answer = &item->answer;
    if (postgresql_get_fingerprint(result, row, column, answer->first_fingerprint) != 0)
        return -1;
    answer->reused =
        memcmp(answer->first_fingerprint, item->post.fingerprint, POST_FINGERPRINT_OCTETS) != 0;
    return 0;
}

/* It got no number, and its list's last one is this. */
static void refuse(struct store_item *item, uint64_t last)
{
    if (last < item->floor)
        store_fail_floor(&item->refused, item->post.list, last, item->floor);
    else
        store_fail_used_up(&item->refused, item->post.list);
}

static int read_answers(const PGresult *result, struct store_item **items, size_t count,
                        struct store_error *error)
{
    if (PQntuples(result) != (int)count)
        return store_fail(error, "PostgreSQL: the counters went away");
    for (size_t i = 0; i < count; i++) {
        items[i]->answer.is_new = false;
        items[i]->answer.number = postgresql_get_int64(result, (int)i, 0);
        if (read_first(result, (int)i, 1, items[i]) != 0)
            return store_fail(error, WRONG_ROW);
        if (items[i]->post.numbered && items[i]->answer.number == 0)
            refuse(items[i], postgresql_get_int64(result, (int)i, 2));
    }
    return 0;
}

/* The server said no, and is well: a lock, a constraint, a value. */
static bool may_be_a_list(const struct postgresql_fault *fault)
{
    return fault->sqlstate[0] != '\0' && !fault->broken;
}

/* All in one transaction. lock_timeout: of the counters, in milliseconds. After an answer got lost
 * it is safe to ask again, here or in the caller: what was committed is found, and the lock of the
 * counter waits for what is being committed. */
static int assign_some(struct driver_connection *c, struct store_item **items, size_t count,
                       int64_t now, unsigned lock_timeout, struct postgresql_fault *fault)
{
    enum { SET, MAKE, LOCK, ASSIGN, STATEMENTS };
    struct postgresql_statement statements[STATEMENTS] = {
        [SET] = {.sql = "SELECT set_config('lock_timeout', $1::text, true)"},
        [MAKE] = {.name = POSTGRESQL_MAKE_COUNTERS},
        [LOCK] = {.name = POSTGRESQL_LOCK_COUNTERS},
        [ASSIGN] = {.name = POSTGRESQL_ASSIGN}};
    PGresult *results[STATEMENTS];
    struct postgresql_arrays a;
    int64_t seen = postgresql_int64((uint64_t)now);
    char milliseconds[16];
    const char *at;
    int status;

    memset(fault, 0, sizeof *fault);
    snprintf(milliseconds, sizeof milliseconds, "%u", lock_timeout);
    postgresql_arrays_make(&a, items, count);
    at = a.octets.data;
    postgresql_set_text(&statements[SET], span_cstr(milliseconds));
    for (int i = MAKE; i <= ASSIGN; i++)
        postgresql_set_value(&statements[i], at, a.keys);
    postgresql_set_value(&statements[ASSIGN], at + a.keys, a.fingerprints - a.keys);
    postgresql_set_value(&statements[ASSIGN], at + a.fingerprints, a.numbered - a.fingerprints);
    postgresql_set_value(&statements[ASSIGN], at + a.numbered, a.floors - a.numbered);
    postgresql_set_value(&statements[ASSIGN], at + a.floors, strbuf_span(&a.octets).n - a.floors);
    postgresql_set_value(&statements[ASSIGN], &seen, sizeof seen);
    status = postgresql_call(c, true, statements, STATEMENTS, results, fault);
    strbuf_free(&a.octets);
    if (status != 0)
        return -1;
    status = read_answers(results[ASSIGN], items, count, &fault->error);
    postgresql_clear(results, STATEMENTS);
    return status;
}

static void refuse_all(struct store_item **items, size_t count, const struct store_error *error)
{
    for (size_t i = 0; i < count; i++)
        items[i]->refused = *error;
}

/* How many items from the first on have its list. */
static size_t count_list(struct store_item **items, size_t count)
{
    size_t n = 1;
    while (n < count && span_eq(items[0]->post.list, items[n]->post.list))
        n++;
    return n;
}

/* The lists one by one, after all of them failed together: one of them may be at fault, such as one
 * whose counter somebody has locked. Those that fail alone are refused; when the server itself
 * fails, or time is over, so are the others. */
static void assign_lists(struct driver_connection *c, struct store_item **items, size_t count,
                         int64_t now, int64_t until, struct postgresql_fault *fault)
{
    for (size_t i = 0, n; i < count; i += n) {
        struct postgresql_fault own;
        n = count_list(items + i, count - i);
        if (may_be_a_list(fault) && monotonic_now() < until) {
            if (assign_some(c, items + i, n, now, patience.postgresql_alone, &own) == 0)
                continue;
            *fault = own;
        }
        refuse_all(items + i, n, &fault->error);
    }
}

/* A transaction of several lists must not wait long: it has locked the counters of others. */
static int assign(struct driver_connection *c, struct store_item **items, size_t count, int64_t now,
                  struct store_error *error)
{
    int64_t until = monotonic_now() + patience.postgresql_lists;
    struct postgresql_fault fault;
    bool several;
    if (count == 0)
        return 0;
    several = count_list(items, count) < count;
    if (assign_some(c, items, count, now,
                    several ? patience.postgresql_together : patience.postgresql_lock, &fault) == 0)
        return 0;
    *error = fault.error;
    if (!may_be_a_list(&fault))
        return -1;
    if (several)
        assign_lists(c, items, count, now, until, &fault);
    else
        refuse_all(items, count, &fault.error);
    return 0;
}

/* ---------------------------------------------------------------- look_up, counter */

/* One statement that only reads, with its result; *result is NULL when the tables are not there. */
static int ask(struct driver_connection *c, const struct postgresql_statement *statement,
               PGresult **result, struct store_error *error)
{
    struct postgresql_fault fault;
    *result = NULL;
    if (postgresql_call(c, false, statement, 1, result, &fault) == 0)
        return 0;
    if (strcmp(fault.sqlstate, POSTGRESQL_NO_TABLE) == 0)
        return 0;
    *error = fault.error;
    return -1;
}

static int look_up(struct driver_connection *c, struct store_item *item, struct store_error *error)
{
    struct postgresql_statement statement = {
        .sql = "SELECT " LAST
               ", p.number, coalesce(f.fingerprint, $3::bytea), p.id FROM (VALUES (1)) one (one)"
               " LEFT JOIN mlmilter_post p"
               " ON p.list = $1::text AND p.key = $2::bytea AND p.fingerprint = $3::bytea"
               " LEFT JOIN LATERAL (SELECT coalesce(first, fingerprint) AS fingerprint"
               " FROM mlmilter_post"
               " WHERE list = $1::text AND key = $2::bytea LIMIT 1) f ON true"};
    const struct store_post *post = &item->post;
    struct store_answer *answer = &item->answer;
    PGresult *result;
    int status = 0;
    postgresql_set_text(&statement, post->list);
    postgresql_set_value(&statement, post->key, POST_KEY_OCTETS);
    postgresql_set_value(&statement, post->fingerprint, POST_FINGERPRINT_OCTETS);
    if (ask(c, &statement, &result, error) != 0)
        return -1;
    memset(answer, 0, sizeof *answer);
    memcpy(answer->first_fingerprint, post->fingerprint, POST_FINGERPRINT_OCTETS);
    answer->is_new = true;
    answer->number = post->numbered ? 1 : 0;
    if (result == NULL)
        return 0;
    if (PQntuples(result) != 1 || read_first(result, 0, 2, item) != 0) {
        status = store_fail(error, WRONG_ROW);
    } else {
        answer->is_new = PQgetisnull(result, 0, 3) || (post->numbered && PQgetisnull(result, 0, 1));
        if (!PQgetisnull(result, 0, 1))
            answer->number = postgresql_get_int64(result, 0, 1);
        else if (post->numbered)
            answer->number = postgresql_get_int64(result, 0, 0) + 1;
    }
    PQclear(result);
    return status;
}

static int counter(struct driver_connection *c, struct span list, uint64_t *last,
                   struct store_error *error)
{
    struct postgresql_statement statement = {.sql = "SELECT " LAST};
    PGresult *result;
    postgresql_set_text(&statement, list);
    if (ask(c, &statement, &result, error) != 0)
        return -1;
    *last = result != NULL && PQntuples(result) == 1 ? postgresql_get_int64(result, 0, 0) : 0;
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
        {.sql = "SELECT " LAST}};
    PGresult *results[2];
    struct postgresql_fault fault;
    int64_t value = postgresql_int64(last);
    postgresql_set_text(&statements[0], list);
    postgresql_set_value(&statements[0], &value, sizeof value);
    postgresql_set_text(&statements[1], list);
    if (postgresql_call(c, true, statements, 2, results, &fault) != 0) {
        *error = fault.error;
        return -1;
    }
    *now = PQntuples(results[1]) == 1 ? postgresql_get_int64(results[1], 0, 0) : 0;
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
    int64_t seen = postgresql_int64((uint64_t)older_than);
    PGresult *result;
    postgresql_set_value(&statement, &seen, sizeof seen);
    postgresql_set_text(&statement, list);
    if (postgresql_call(c, true, &statement, 1, &result, &fault) != 0) {
        *error = fault.error;
        return -1;
    }
    *count = postgresql_get_int64(result, 0, 0);
    PQclear(result);
    return 0;
}

/* ---------------------------------------------------------------- the driver */

static int open_connection(struct driver_connection *c, struct store_error *error)
{
    struct postgresql_fault fault;
    if (postgresql_call(c, true, NULL, 0, NULL, &fault) == 0)
        return 0;
    *error = fault.error;
    return -1;
}

const struct store_driver store_postgresql = {
    .connections = CONNECTIONS,
    .url_fault = postgresql_url_fault,
    .connection_new = postgresql_connection_new,
    .connection_free = postgresql_connection_free,
    .shared_new = postgresql_shared_new,
    .shared_free = free,
    .open = open_connection,
    .assign = assign,
    .look_up = look_up,
    .counter = counter,
    .set_counter = set_counter,
    .prune = prune,
};
