/* exchange - pipelines of libpq, and the binary form of values */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store/postgresql/exchange.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

/* Type numbers of PostgreSQL that are part of its protocol (pg_type.dat: they never change). */
#define TYPE_BOOL  16
#define TYPE_BYTEA 17
#define TYPE_INT8  20
#define TYPE_TEXT  25

/* ---------------------------------------------------------------- sending and reading */

static bool send_one(PGconn *pg, const struct postgresql_statement *statement)
{
    static const int binary[POSTGRESQL_VALUES] = {1, 1, 1, 1, 1, 1};
    if (statement->name != NULL && statement->sql != NULL)
        return PQsendPrepare(pg, statement->name, statement->sql, 0, NULL) == 1;
    if (statement->name != NULL)
        return PQsendQueryPrepared(pg, statement->name, statement->count, statement->values,
                                   statement->lengths, binary, 1) == 1;
    return PQsendQueryParams(pg, statement->sql, statement->count, NULL, statement->values,
                             statement->lengths, binary, 1) == 1;
}

/* The next result, which must be of one of two kinds; what fails first in a pipeline is the fault,
 * the others are only told that it was aborted. */
static PGresult *read_one(PGconn *pg, ExecStatusType wanted, ExecStatusType or_wanted, bool *failed,
                          struct postgresql_fault *fault)
{
    PGresult *result = PQgetResult(pg);
    ExecStatusType status = PQresultStatus(result);
    if (status != wanted && status != or_wanted && !*failed) {
        *failed = true;
        postgresql_fail(pg, result, fault);
    }
    return result;
}

int postgresql_exchange(PGconn *pg, const struct postgresql_statement *statements, int count,
                        PGresult **results, struct postgresql_fault *fault)
{
    bool sent = PQenterPipelineMode(pg) == 1;
    bool failed = false;
    bool committed = false;
    memset(fault, 0, sizeof *fault);
    memset(results, 0, (size_t)count * sizeof(PGresult *));
    for (int i = 0; i < count && sent; i++)
        sent = send_one(pg, &statements[i]);
    if (!sent || PQpipelineSync(pg) != 1)
        return postgresql_fail(pg, NULL, fault);
    for (int i = 0; i < count && PQstatus(pg) == CONNECTION_OK; i++) {
        results[i] = read_one(pg, PGRES_COMMAND_OK, PGRES_TUPLES_OK, &failed, fault);
        PQclear(PQgetResult(pg)); /* NULL: the end of this one's */
    }
    if (PQstatus(pg) == CONNECTION_OK) {
        PQclear(read_one(pg, PGRES_PIPELINE_SYNC, PGRES_PIPELINE_SYNC, &failed, fault));
        committed = !failed;
    }
    if (PQexitPipelineMode(pg) == 1 && committed)
        return 0;
    if (!failed)
        postgresql_fail(pg, NULL, fault);
    postgresql_clear(results, count);
    return -1;
}

void postgresql_clear(PGresult **results, int count)
{
    for (int i = 0; i < count; i++) {
        PQclear(results[i]);
        results[i] = NULL;
    }
}

/* ---------------------------------------------------------------- values */

void postgresql_set_value(struct postgresql_statement *statement, const void *value, size_t n)
{
    statement->values[statement->count] = value;
    statement->lengths[statement->count] = (int)n;
    statement->count++;
}

/* A text of length 0 must not be a null pointer, which stands for NULL. */
void postgresql_set_text(struct postgresql_statement *statement, struct span text)
{
    postgresql_set_value(statement, text.n > 0 ? text.p : "", text.n);
}

int64_t postgresql_int64(uint64_t n)
{
    return (int64_t)htobe64(n);
}

uint64_t postgresql_get_int64(const PGresult *result, int row, int column)
{
    uint64_t n;
    if (PQgetisnull(result, row, column) || PQgetlength(result, row, column) != sizeof n)
        return 0;
    memcpy(&n, PQgetvalue(result, row, column), sizeof n);
    return be64toh(n);
}

int postgresql_get_fingerprint(const PGresult *result, int row, int column,
                               unsigned char to[POST_FINGERPRINT_OCTETS])
{
    if (PQgetlength(result, row, column) != POST_FINGERPRINT_OCTETS)
        return -1;
    memcpy(to, PQgetvalue(result, row, column), POST_FINGERPRINT_OCTETS);
    return 0;
}

static void add_int32(struct strbuf *to, uint32_t n)
{
    n = htobe32(n);
    strbuf_add(to, (const char *)&n, sizeof n);
}

/* An array's head; its elements follow. Where it begins. */
static size_t begin_array(struct strbuf *to, uint32_t type, size_t count)
{
    size_t begin = strbuf_span(to).n;
    add_int32(to, 1); /* dimensions */
    add_int32(to, 0); /* are there NULLs? */
    add_int32(to, type);
    add_int32(to, (uint32_t)count);
    add_int32(to, 1); /* index of the first */
    return begin;
}

static void add_element(struct strbuf *to, const void *octets, size_t n)
{
    add_int32(to, (uint32_t)n);
    strbuf_add(to, octets, n);
}

void postgresql_arrays_make(struct postgresql_arrays *a, struct store_item *const *items,
                            size_t count)
{
    struct strbuf *to = &a->octets;
    strbuf_init(to);
    begin_array(to, TYPE_TEXT, count);
    for (size_t i = 0; i < count; i++)
        add_element(to, items[i]->post.list.p, items[i]->post.list.n);
    a->keys = begin_array(to, TYPE_BYTEA, count);
    for (size_t i = 0; i < count; i++)
        add_element(to, items[i]->post.key, POST_KEY_OCTETS);
    a->fingerprints = begin_array(to, TYPE_BYTEA, count);
    for (size_t i = 0; i < count; i++)
        add_element(to, items[i]->post.fingerprint, POST_FINGERPRINT_OCTETS);
    a->numbered = begin_array(to, TYPE_BOOL, count);
    for (size_t i = 0; i < count; i++)
        add_element(to, items[i]->post.numbered ? "\1" : "\0", 1);
    a->floors = begin_array(to, TYPE_INT8, count);
    for (size_t i = 0; i < count; i++) {
        int64_t floor = postgresql_int64(items[i]->floor);
        add_element(to, &floor, sizeof floor);
    }
}
