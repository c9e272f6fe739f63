/* store_postgresql_exchange - pipelines of libpq without blocking, and its errors on one line */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store/postgresql/store_postgresql_exchange.h"

#include "store/driver.h"
#include "system/monotonic.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* A little more than the server's own time-out for a statement (store_postgresql_tables.c), whose
 * error says more and leaves no statement running. */
#define ANSWER_MS 6000

int postgresql_wait(int fd, short events, int64_t deadline)
{
    struct pollfd p = {.fd = fd, .events = events};

    for (;;) {
        int64_t left = deadline - monotonic_now();
        int n;

        if (left < 0)
            return 0;
        n = poll(&p, 1, (int)(left < 60000 ? left + 1 : 60000));
        if (n > 0)
            return 1;
        if (n < 0 && errno != EINTR)
            return -1;
    }
}

/* ---------------------------------------------------------------- errors */

/* Overwrites each place where the secret stands. */
static void hide(char *text, const char *secret)
{
    size_t n = secret ? strlen(secret) : 0;

    if (n == 0)
        return;
    for (char *p = strstr(text, secret); p; p = strstr(p + n, secret))
        memset(p, '*', n);
}

/* Control characters become blanks, runs of blanks one; none at the end. */
static void make_one_line(char *text)
{
    char *to = text;

    for (const char *p = text; *p; p++) {
        bool blank = (unsigned char)*p <= ' ' || *p == 0x7F;

        if (!blank)
            *to++ = *p;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    while (to > text && to[-1] == ' ')
        to--;
    *to = '\0';
}

/* libpq marks passwords with "*". A password that is written wrong ends in another option: "port=
 * password=X", and in a URL one with "/" in the port and the database, one with "@" in the host. */
static bool may_be_secret(const PQconninfoOption *o)
{
    if (o->val == NULL)
        return false;
    if (o->dispchar[0] == '*' || strstr(o->keyword, "password") || strstr(o->val, "password"))
        return true;
    if (strcmp(o->keyword, "port") == 0)
        return o->val[strspn(o->val, "0123456789,")] != '\0';
    return strchr(o->val, '@') != NULL && strcmp(o->keyword, "user") != 0;
}

int postgresql_fail(struct postgresql_fault *fault, const char *conninfo, const char *text)
{
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    char *copy = strdup(text && *text ? text : "the connection failed");

    /* Without the options nobody knows what of the text is secret. */
    if (!options || !copy) {
        store_fail(&fault->error, "PostgreSQL: an error that cannot be shown");
    } else {
        for (const PQconninfoOption *o = options; o->keyword; o++)
            if (may_be_secret(o))
                hide(copy, o->val);
        make_one_line(copy);
        store_fail(&fault->error, "PostgreSQL: %s", copy);
    }
    free(copy);
    if (options)
        PQconninfoFree(options);
    return -1;
}

/* The connection itself is of no use any more. */
static int fail_broken(struct postgresql_session *s, struct postgresql_fault *fault)
{
    fault->broken = true;
    return postgresql_fail(fault, s->conninfo, PQerrorMessage(s->pg));
}

static int fail_late(struct postgresql_session *s, struct postgresql_fault *fault)
{
    return postgresql_fail(fault, s->conninfo, "the server did not answer in time");
}

/* Errors after which the same may succeed on another connection: this one is being closed (57P01 to
 * 57P05), the server is read only, perhaps since another one took over (25006), a pooler has given
 * us somebody else's session (26000), or two transactions were in each other's way (40001, 40P01).
 */
static bool another_connection_may_help(const char *sqlstate)
{
    static const char *const states[] = {"57P01", "57P02", "57P03", "57P05",
                                         "25006", "26000", "40001", "40P01"};

    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        if (strcmp(sqlstate, states[i]) == 0)
            return true;
    return strncmp(sqlstate, "08", 2) == 0;
}

static int fail_statement(struct postgresql_session *s, const PGresult *result,
                          struct postgresql_fault *fault)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

    if (!state || PQstatus(s->pg) == CONNECTION_BAD)
        fault->broken = true;
    if (state && strlen(state) < sizeof fault->sqlstate) {
        memcpy(fault->sqlstate, state, strlen(state) + 1);
        fault->broken = fault->broken || another_connection_may_help(state);
    }
    return postgresql_fail(fault, s->conninfo, text ? text : PQresultErrorMessage(result));
}

/* ---------------------------------------------------------------- sending and reading */

static int send_one(PGconn *pg, const struct postgresql_statement *statement)
{
    static const int binary[POSTGRESQL_VALUES] = {1, 1, 1, 1, 1, 1};

    if (statement->name && statement->sql)
        return PQsendPrepare(pg, statement->name, statement->sql, 0, NULL);
    if (statement->name)
        return PQsendQueryPrepared(pg, statement->name, statement->count, statement->values,
                                   statement->lengths, binary, 1);
    return PQsendQueryParams(pg, statement->sql, statement->count, NULL, statement->values,
                             statement->lengths, binary, 1);
}

static int send_all(struct postgresql_session *s, const struct postgresql_statement *statements,
                    int count, int64_t deadline, struct postgresql_fault *fault)
{
    int left;

    for (int i = 0; i < count; i++)
        if (!send_one(s->pg, &statements[i]))
            return fail_broken(s, fault);
    if (!PQpipelineSync(s->pg))
        return fail_broken(s, fault);
    while ((left = PQflush(s->pg)) > 0) {
        int ready = postgresql_wait(PQsocket(s->pg), POLLIN | POLLOUT, deadline);

        if (ready == 0)
            return fail_late(s, fault);
        if (ready < 0 || !PQconsumeInput(s->pg))
            return fail_broken(s, fault);
    }
    return left < 0 ? fail_broken(s, fault) : 0;
}

/* The next result in *result; NULL: those of a statement are over. */
static int next_result(struct postgresql_session *s, int64_t deadline, PGresult **result,
                       struct postgresql_fault *fault)
{
    while (PQisBusy(s->pg)) {
        int ready = postgresql_wait(PQsocket(s->pg), POLLIN, deadline);

        if (ready == 0)
            return fail_late(s, fault);
        if (ready < 0 || !PQconsumeInput(s->pg))
            return fail_broken(s, fault);
    }
    *result = PQgetResult(s->pg);
    return 0;
}

/* One statement's only result, and the NULL behind it. What failed first is the fault; the others
 * of the pipeline are only told that it was aborted. */
static int read_one(struct postgresql_session *s, int64_t deadline, PGresult **result,
                    struct postgresql_fault *fault)
{
    PGresult *end = NULL;
    ExecStatusType status;

    if (next_result(s, deadline, result, fault) != 0)
        return -1;
    if (!*result)
        return fail_broken(s, fault);
    status = PQresultStatus(*result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        if (status != PGRES_PIPELINE_ABORTED)
            fail_statement(s, *result, fault);
        if (PQstatus(s->pg) == CONNECTION_BAD)
            return -1;
    }
    if (next_result(s, deadline, &end, fault) != 0)
        return -1;
    PQclear(end);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK ? 0 : 1;
}

/* The answer to PQpipelineSync: before it nothing is committed. */
static int read_sync(struct postgresql_session *s, int64_t deadline, bool failed,
                     struct postgresql_fault *fault)
{
    PGresult *result = NULL;
    int status = 0;

    if (next_result(s, deadline, &result, fault) != 0)
        return -1;
    if (!result) {
        status = fail_broken(s, fault);
    } else if (PQresultStatus(result) != PGRES_PIPELINE_SYNC) {
        /* A constraint that is checked at the end, or the end of the connection. */
        status = failed ? -1 : fail_statement(s, result, fault);
        fault->broken = true;
    }
    PQclear(result);
    return status;
}

int postgresql_exchange(struct postgresql_session *s, const struct postgresql_statement *statements,
                        int count, PGresult **results, struct postgresql_fault *fault)
{
    int64_t deadline = monotonic_now() + ANSWER_MS;
    int status = 0;

    memset(fault, 0, sizeof *fault);
    for (int i = 0; i < count; i++)
        results[i] = NULL;
    if (deadline > s->deadline)
        deadline = s->deadline;
    if (send_all(s, statements, count, deadline, fault) != 0)
        return -1;
    for (int i = 0; i < count && status >= 0; i++) {
        int one = read_one(s, deadline, &results[i], fault);

        status = one < 0 ? -1 : status | one;
    }
    if (status >= 0 && read_sync(s, deadline, status != 0, fault) != 0)
        status = -1;
    if (status == 0)
        return 0;
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

int postgresql_do(struct postgresql_session *s, const struct postgresql_statement *statements,
                  int count, struct postgresql_fault *fault)
{
    PGresult *results[POSTGRESQL_STATEMENTS];

    if (postgresql_exchange(s, statements, count, results, fault) != 0)
        return -1;
    postgresql_clear(results, count);
    return 0;
}
