/* postgresql - one database for several hosts; each exchange is one pipeline of libpq */
#include "store/database.h"
#include "store/url.h"
#include "system/monotonic.h"
#include "system/timeouts.h"
#include "text/memory.h"

#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char has_tables_sql[] =
    "SELECT 1 WHERE to_regclass('mlmilter_version') IS NOT NULL";

/* The number of the lock is "mlmilter" in ASCII. `first` is NULL in the row of the first post; the
 * other rows keep it after that row was pruned. */
static const char tables_sql[] =
    "BEGIN; SELECT pg_advisory_xact_lock(7884797347177457010);"
    "CREATE TABLE IF NOT EXISTS mlmilter_counter ("
    " list text COLLATE \"C\" PRIMARY KEY, last bigint NOT NULL);"
    "CREATE TABLE IF NOT EXISTS mlmilter_post ("
    " list text COLLATE \"C\", key bytea, fingerprint bytea, number bigint, first bytea,"
    " seen bigint NOT NULL, PRIMARY KEY (list, key, fingerprint));"
    "CREATE INDEX IF NOT EXISTS mlmilter_post_seen ON mlmilter_post (seen);"
    "CREATE TABLE IF NOT EXISTS mlmilter_version (version integer NOT NULL);"
    "INSERT INTO mlmilter_version SELECT 1 WHERE NOT EXISTS (SELECT FROM mlmilter_version);"
    "COMMIT";

static const char version_sql[] =
    "SELECT 1 FROM mlmilter_version HAVING min(version) = 1 AND max(version) = 1";

/* Parameters have declared types, as a statement uses only some of them. */
static const Oid types[] = {25, 17, 17, 20, 17, 20}; /* text, bytea and bigint in pg_type.dat */
enum { PARAMETERS = sizeof types / sizeof types[0] };

static const char *const statements[STATEMENT_COUNT] = {
    [STATEMENT_BEGIN] = "BEGIN",
    [STATEMENT_LIMIT] = "SELECT set_config('lock_timeout', $4::text, true)",
    [STATEMENT_COMMIT] = "COMMIT",
    [STATEMENT_LOOK_LIST] = "SELECT last FROM mlmilter_counter WHERE list = $1",
    [STATEMENT_GET_LIST] = "SELECT last FROM mlmilter_counter WHERE list = $1 FOR NO KEY UPDATE",
    [STATEMENT_ADD_LIST] =
        "INSERT INTO mlmilter_counter (list, last) VALUES ($1, 0) ON CONFLICT DO NOTHING",
    [STATEMENT_SET_LIST] = "UPDATE mlmilter_counter SET last = $4 WHERE list = $1",
    [STATEMENT_GET_POST] =
        "SELECT p.number, (p.list IS NOT NULL)::int::bigint, coalesce(f.first, f.fingerprint)"
        " FROM (SELECT list, first, fingerprint FROM mlmilter_post"
        " WHERE list = $1 AND key = $2 LIMIT 1) f LEFT JOIN mlmilter_post p"
        " ON p.list = f.list AND p.key = $2 AND p.fingerprint = $3",
    [STATEMENT_PUT_POST] = /* parentheses, else clang suspects that a comma is missing */
        ("INSERT INTO mlmilter_post (list, key, fingerprint, number, first, seen)"
         " VALUES ($1, $2, $3, $4, $5, $6)"
         " ON CONFLICT (list, key, fingerprint) DO UPDATE SET number = excluded.number"),
    [STATEMENT_PRUNE] =
        "DELETE FROM mlmilter_post WHERE ctid = ANY (ARRAY(SELECT ctid FROM mlmilter_post"
        " WHERE seen < $6 AND ($1 = '' OR list = $1) ORDER BY seen LIMIT 1000))",
};

/* Numbers must not get lost: synchronous_commit is raised from "off". The server plans statements
 * when the tables may be empty; without enable_seqscan it plans for many rows. A scan that cannot
 * be avoided then seems so dear that it would be compiled (jit). */
static const char settings_sql[] =
    "SET statement_timeout = %u; SET lock_timeout = %u;"
    "SET idle_in_transaction_session_timeout = 10000; SET client_min_messages = error;"
    "SET default_transaction_isolation = 'read committed'; SET enable_seqscan = off; SET jit = off;"
    "SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') = 'off'";
/* clang-format on */

struct database {
    char *conninfo;
    bool read_only;
    bool had_tables; /* tables that disappear must not be created anew (SU-20) */
    PGconn *pg;      /* NULL: not open */
};

/* Returns the connection string of the text after "postgresql:", for free(). A URI keeps the
 * scheme. */
static char *copy_conninfo(const char *where)
{
    static const char scheme[] = "postgresql:";
    size_t size = sizeof scheme + strlen(where);
    char *conninfo = memory_new(size, 1);
    snprintf(conninfo, size, "%s%s", strncmp(where, "//", 2) == 0 ? scheme : "", where);
    return conninfo;
}

bool postgresql_is_conninfo(const char *where)
{
    char *conninfo = copy_conninfo(where);
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    bool is_right = options != NULL;
    PQconninfoFree(options);
    free(conninfo);
    return is_right;
}

static struct database *new_database(const char *where, bool read_only)
{
    struct database *db = memory_new(1, sizeof *db);
    db->conninfo = copy_conninfo(where);
    db->read_only = read_only;
    return db;
}

static void close_database(struct database *db)
{
    PQfinish(db->pg);
    db->pg = NULL;
}

static void free_database(struct database *db)
{
    close_database(db);
    free(db->conninfo);
    free(db);
}

/* Sets *error to the error of a result, or of libpq (NULL). Returns 1 if a row is locked, else -1.
 */
static int fail(const struct database *db, const PGresult *result, struct store_error *error)
{
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (text == NULL)
        text = PQerrorMessage(db->pg);
    store_fail(error, "PostgreSQL: %s", *text != '\0' ? text : "the connection failed");
    return state != NULL && strcmp(state, "55P03") == 0 ? 1 : -1;
}

/* ---- exchanges ---- */

/* Waits for the next result, which is NULL after the last one of a statement. Returns 0; or 1 or -1
 * with *error if it is an error or does not come in time, as fail does. The caller clears *result.
 */
static int get_result(struct database *db, int64_t until, PGresult **result,
                      struct store_error *error)
{
    *result = NULL;
    while (PQisBusy(db->pg) != 0) {
        struct pollfd readable = {.fd = PQsocket(db->pg), .events = POLLIN};
        int64_t left = until - monotonic_now();
        if (left <= 0)
            return store_fail(error, "PostgreSQL: it did not answer within %g s",
                              timeouts.store_answer / 1000.0);
        if (poll(&readable, 1, (int)left) > 0 && PQconsumeInput(db->pg) == 0)
            return fail(db, NULL, error);
    }
    *result = PQgetResult(db->pg);
    switch (PQresultStatus(*result)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_PIPELINE_SYNC:
        return 0;
    default:
        return *result == NULL ? 0 : fail(db, *result, error);
    }
}

/* Changes between a number and its bytes in network order. */
static uint64_t swap(uint64_t number)
{
    unsigned char bytes[sizeof number];
    uint64_t swapped = 0;
    memcpy(bytes, &number, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        swapped = swapped << 8 | bytes[i];
    return swapped;
}

static void read_row(PGresult *result, struct query *query)
{
    query->rows = strtoll(PQcmdTuples(result), NULL, 10);
    if (PQntuples(result) == 0)
        return;
    for (int i = 0; i < 2 && i < PQnfields(result); i++) {
        uint64_t number = 0; /* of NULL, too */
        if (PQgetlength(result, 0, i) == sizeof number)
            memcpy(&number, PQgetvalue(result, 0, i), sizeof number);
        query->numbers[i] = swap(number);
    }
    if (PQnfields(result) > 2 && PQgetlength(result, 0, 2) == POST_FINGERPRINT_OCTETS)
        memcpy(query->found, PQgetvalue(result, 0, 2), POST_FINGERPRINT_OCTETS);
}

/* Ends a pipeline and reads the results of its statements. queries may be NULL. Returns as
 * get_result does. */
static int end_pipeline(struct database *db, struct query *queries, size_t count,
                        struct store_error *error)
{
    int64_t until = monotonic_now() + timeouts.store_answer;
    int failed = PQpipelineSync(db->pg) == 1 ? 0 : fail(db, NULL, error);
    /* Each statement has a result and NULL, and the pipeline has one. */
    for (size_t i = 0; i < 2 * count + 1 && failed == 0; i++) {
        PGresult *result;
        failed = get_result(db, until, &result, error);
        if (failed == 0 && queries != NULL && i % 2 == 0 && i < 2 * count)
            read_row(result, &queries[i / 2]);
        PQclear(result);
    }
    return failed;
}

static int send_query(PGconn *pg, const struct query *query)
{
    static const int binary[PARAMETERS] = {1, 1, 1, 1, 1, 1};
    uint64_t number = swap(query->number);
    uint64_t time = swap((uint64_t)query->time);
    const void *const parameters[PARAMETERS] = {
        query->list,  query->key, query->fingerprint, query->number != 0 ? &number : NULL,
        query->first, &time};
    const int list = query->list != NULL ? (int)strlen(query->list) : 0;
    const int key = POST_KEY_OCTETS, fingerprint = POST_FINGERPRINT_OCTETS, eight = sizeof number;
    const int lengths[PARAMETERS] = {list, key, fingerprint, eight, fingerprint, eight};
    const char *values[PARAMETERS];
    const char name[] = {(char)('a' + query->statement), '\0'};
    memcpy(values, parameters, sizeof values);
    return PQsendQueryPrepared(pg, name, PARAMETERS, values, lengths, binary, 1);
}

static int run(struct database *db, struct query *queries, size_t count, struct store_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (send_query(db->pg, &queries[i]) != 1)
            return fail(db, NULL, error);
    return end_pipeline(db, queries, count, error);
}

/* ---- opening ---- */

/* Runs statements without parameters. Returns the number of rows, or -1 with *error. */
static int run_sql(struct database *db, const char *sql, struct store_error *error)
{
    int64_t until = monotonic_now() + timeouts.store_answer;
    int failed = PQsendQuery(db->pg, sql) == 1 ? 0 : fail(db, NULL, error);
    bool is_over = failed != 0;
    int rows = 0;
    while (!is_over) {
        PGresult *result;
        if (get_result(db, until, &result, error) != 0)
            failed = -1;
        is_over = result == NULL;
        rows += PQntuples(result);
        PQclear(result);
    }
    return failed != 0 ? -1 : rows;
}

/* Returns an item of a list with commas, or its last one, for free(). */
static char *copy_item(const char *list, size_t at)
{
    size_t n = strcspn(list, ",");
    char *copy;
    for (; at > 0 && list[n] == ','; at--) {
        list += n + 1;
        n = strcspn(list, ",");
    }
    copy = memory_new(n + 1, 1);
    return memcpy(copy, list, n);
}

/* Returns how many hosts the options name, at least 1. */
static size_t count_hosts(const PQconninfoOption *options)
{
    size_t count = 1;
    for (const PQconninfoOption *o = options; o != NULL && o->keyword != NULL; o++) {
        size_t commas = 0;
        for (const char *p = o->val; p != NULL && *p != '\0'; p++)
            commas += *p == ',';
        if (strncmp(o->keyword, "host", 4) == 0 && commas >= count)
            count = commas + 1;
    }
    return count;
}

/* Begins a connection to one of the hosts that the options name. Without options: to any host of
 * the URL, the environment or a service file. */
static PGconn *start_connection(const char *conninfo, const PQconninfoOption *options, size_t host)
{
    enum { MOST = 100 };
    const char *keywords[MOST] = {"fallback_application_name", "dbname"};
    const char *values[MOST] = {"mlmilter", conninfo};
    char *copies[MOST] = {NULL};
    size_t count = options == NULL ? 2 : 1;
    PGconn *pg;
    for (const PQconninfoOption *o = options; o != NULL && o->keyword != NULL && count < MOST - 2;
         o++) {
        bool is_list = strncmp(o->keyword, "host", 4) == 0 || strcmp(o->keyword, "port") == 0;
        if (o->val == NULL)
            continue;
        copies[count] = is_list ? copy_item(o->val, host) : memory_copy(o->val);
        keywords[count] = o->keyword;
        values[count] = copies[count];
        count++;
    }
    keywords[count] = "client_encoding"; /* the last one counts */
    values[count] = "UTF8";
    pg = PQconnectStartParams(keywords, values, options == NULL);
    for (size_t i = 0; i < count; i++)
        free(copies[i]);
    return pg;
}

/* Connects until a moment. Returns 0, or -1 with *error. */
static int finish_connection(struct database *db, int64_t until, struct store_error *error)
{
    PostgresPollingStatusType next = PGRES_POLLING_WRITING;
    while (PQstatus(db->pg) != CONNECTION_BAD && next != PGRES_POLLING_OK) {
        struct pollfd ready = {.fd = PQsocket(db->pg),
                               .events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT};
        int64_t left = until - monotonic_now();
        if (next == PGRES_POLLING_FAILED)
            break;
        if (left <= 0)
            return store_fail(error, "PostgreSQL: host \"%s\" did not answer in time",
                              PQhost(db->pg));
        if (poll(&ready, 1, (int)left) > 0)
            next = PQconnectPoll(db->pg);
    }
    return PQstatus(db->pg) == CONNECTION_OK ? 0 : fail(db, NULL, error);
}

/* Connects to the first host that takes the connection; libpq's own limit is for each address. Each
 * host may use its share of the time that is left. Returns 0, or -1 with *error. */
static int connect_to_host(struct database *db, struct store_error *error)
{
    int64_t until = monotonic_now() + timeouts.store_connect;
    PQconninfoOption *options;
    size_t hosts;
    int result = -1;
    db->pg = start_connection(db->conninfo, NULL, 0);
    options = PQconninfo(db->pg);
    hosts = count_hosts(options);
    for (size_t i = 0; i < hosts && result != 0; i++) {
        int64_t share = (until - monotonic_now()) / (int64_t)(hosts - i);
        if (hosts > 1) {
            PQfinish(db->pg);
            db->pg = start_connection(NULL, options, i);
        }
        result = finish_connection(db, monotonic_now() + share, error);
    }
    PQconninfoFree(options);
    return result;
}

/* Connects and sets up the session. Returns 0, or -1 with *error. */
static int connect_to_server(struct database *db, struct store_error *error)
{
    char sql[sizeof settings_sql + 16];
    if (connect_to_host(db, error) != 0)
        return -1;
    snprintf(sql, sizeof sql, settings_sql, timeouts.store_statement, timeouts.store_lock);
    return run_sql(db, sql, error) < 0 ? -1 : 0;
}

/* Checks the tables. Creates them only if there are none, as a user may have the right to write to
 * them, but not to create any. Returns an enum opened. */
static enum opened check_tables(struct database *db, struct store_error *error)
{
    int rows = run_sql(db, has_tables_sql, error);
    bool is_new = rows == 0;
    if (is_new && db->had_tables)
        return store_fail(error, "PostgreSQL: the tables were removed: put them back, or start "
                                 "mlmilter again to have new ones, which count from 1");
    if (is_new && db->read_only)
        return OPENED_EMPTY;
    if (is_new)
        rows = run_sql(db, tables_sql, error);
    if (rows >= 0)
        rows = run_sql(db, version_sql, error);
    if (rows == 0)
        return store_fail(error, "PostgreSQL: the tables are of another version");
    return rows < 0 ? OPEN_FAILED : is_new ? OPENED_NEW : OPENED;
}

static int prepare_statements(struct database *db, struct store_error *error)
{
    int sent = PQenterPipelineMode(db->pg);
    for (int i = 0; i < STATEMENT_COUNT && sent == 1; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        sent = PQsendPrepare(db->pg, name, statements[i], PARAMETERS, types);
    }
    return sent == 1 ? end_pipeline(db, NULL, STATEMENT_COUNT, error) : fail(db, NULL, error);
}

static enum opened open_database(struct database *db, struct store_error *error)
{
    enum opened result;
    if (db->pg != NULL)
        return OPENED;
    result = connect_to_server(db, error) != 0 ? OPEN_FAILED : check_tables(db, error);
    if ((result == OPENED || result == OPENED_NEW) && prepare_statements(db, error) != 0)
        result = OPEN_FAILED;
    db->had_tables |= result == OPENED || result == OPENED_NEW;
    if (result == OPEN_FAILED || result == OPENED_EMPTY)
        close_database(db);
    return result;
}

const struct driver driver_postgresql = {
    .create = new_database,
    .free = free_database,
    .open = open_database,
    .close = close_database,
    .run = run,
};
