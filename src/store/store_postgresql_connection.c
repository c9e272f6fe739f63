/* store_postgresql_connection - connecting, noticing a lost connection, not asking a dead server */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store/store_postgresql_connection.h"

#include "store/driver.h"
#include "store/store_postgresql_tables.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* How long connecting may take where connect_timeout= does not say it, and at most. */
#define CONNECT_SECONDS     "5"
#define CONNECT_MS          5000
#define CONNECT_SECONDS_MAX 60

/* What is left of a call for statements when connecting took all its time. */
#define STATEMENTS_MS 4000

/* For so long after connecting failed, all connections of the store fail with the same error: a
 * server that does not answer then costs one call its time, not each. */
#define REST_MS 1000

/* A call that has taken longer than this is not done again. */
#define AGAIN_MS 2000

struct shared {
    pthread_mutex_t lock;
    bool failed;
    int64_t failed_at;
    struct postgresql_fault fault;
};

struct driver_connection {
    struct postgresql_session session; /* pg: NULL when closed */
    struct shared *shared;
    bool has_tables; /* and prepared statements, on this connection */
    char conninfo[];
};

/* ---------------------------------------------------------------- the URL */

/* "postgresql:" is cut off; of a libpq URI that was a part. "": libpq's defaults. */
static char *conninfo_of(struct span rest, char *to)
{
    static const char scheme[] = "postgresql:";
    size_t n = 0;

    if (rest.n >= 2 && memcmp(rest.p, "//", 2) == 0) {
        n = sizeof scheme - 1;
        memcpy(to, scheme, n);
    }
    if (rest.n)
        memcpy(to + n, rest.p, rest.n);
    to[n + rest.n] = '\0';
    return to;
}

const char *postgresql_url_fault(struct span rest)
{
    char *conninfo;
    PQconninfoOption *options;

    if (rest.n && memchr(rest.p, '\0', rest.n))
        return "has a NUL in it";
    conninfo = malloc(rest.n + 16);
    if (!conninfo)
        return "cannot be checked: memory is out";
    options = PQconninfoParse(conninfo_of(rest, conninfo), NULL);
    free(conninfo);
    /* libpq's own text may show a part of a password. */
    if (!options)
        return "is no connection string of libpq: \"postgresql:KEYWORD=VALUE ...\" or "
               "\"postgresql://HOST/DATABASE?KEYWORD=VALUE\"";
    PQconninfoFree(options);
    return NULL;
}

/* ---------------------------------------------------------------- life */

void *postgresql_shared_new(const char *rest)
{
    struct shared *shared = calloc(1, sizeof *shared);

    (void)rest;
    if (shared && pthread_mutex_init(&shared->lock, NULL) != 0) {
        free(shared);
        shared = NULL;
    }
    return shared;
}

void postgresql_shared_free(void *shared)
{
    if (!shared)
        return;
    pthread_mutex_destroy(&((struct shared *)shared)->lock);
    free(shared);
}

struct driver_connection *postgresql_connection_new(const char *rest, void *shared)
{
    struct span text = span_cstr(rest);
    struct driver_connection *c = calloc(1, sizeof *c + text.n + 16);

    if (!c)
        return NULL;
    c->shared = shared;
    c->session.conninfo = conninfo_of(text, c->conninfo);
    return c;
}

static void disconnect(struct driver_connection *c)
{
    PQfinish(c->session.pg);
    c->session.pg = NULL;
    c->has_tables = false;
}

void postgresql_connection_free(struct driver_connection *c)
{
    if (!c)
        return;
    disconnect(c);
    free(c);
}

/* ---------------------------------------------------------------- connecting */

/* The text of "relation exists already, skipping" and the like would go to standard error. */
static void ignore_notice(void *arg, const PGresult *result)
{
    (void)arg, (void)result;
}

/* connect_timeout as it is in force (it can come from a service file too): libpq leaves it to those
 * who do not block. */
static int64_t connect_ms(PGconn *pg)
{
    PQconninfoOption *options = PQconninfo(pg);
    int64_t ms = CONNECT_MS;

    for (const PQconninfoOption *o = options; o && o->keyword; o++) {
        long seconds;

        if (strcmp(o->keyword, "connect_timeout") != 0 || !o->val)
            continue;
        seconds = strtol(o->val, NULL, 10);
        if (seconds > 0)
            ms = (seconds < CONNECT_SECONDS_MAX ? seconds : CONNECT_SECONDS_MAX) * 1000;
    }
    if (options)
        PQconninfoFree(options);
    return ms;
}

static PGconn *start(const char *conninfo)
{
    /* What stands before dbname can be changed by the connection string, which it holds; what
     * stands behind it cannot. A connection over which nothing comes back is given up by the kernel
     * too. */
    static const char *const keywords[] = {
        "connect_timeout",  "keepalives_idle",  "keepalives_interval",
        "keepalives_count", "tcp_user_timeout", "fallback_application_name",
        "dbname",           "client_encoding",  NULL};
    const char *const values[] = {CONNECT_SECONDS, "30",     "10",   "3", "10000",
                                  "mlmilter",      conninfo, "UTF8", NULL};

    return PQconnectStartParams(keywords, values, 1);
}

/* Until the server lets us in. */
static int finish_connecting(struct driver_connection *c, int64_t deadline,
                             struct postgresql_fault *fault)
{
    PGconn *pg = c->session.pg;
    PostgresPollingStatusType state = PGRES_POLLING_WRITING;

    while (state != PGRES_POLLING_OK) {
        int ready = postgresql_wait(PQsocket(pg), state == PGRES_POLLING_READING ? POLLIN : POLLOUT,
                                    deadline);

        if (ready == 0)
            return postgresql_fail(fault, c->conninfo,
                                   "cannot connect: the server did not answer "
                                   "in time");
        state = ready < 0 ? PGRES_POLLING_FAILED : PQconnectPoll(pg);
        if (state == PGRES_POLLING_FAILED)
            return postgresql_fail(fault, c->conninfo, PQerrorMessage(pg));
    }
    return 0;
}

static int connect_now(struct driver_connection *c, struct postgresql_fault *fault)
{
    int64_t begin = postgresql_now();
    int64_t ms;
    PGconn *pg;

    memset(fault, 0, sizeof *fault);
    c->session.pg = pg = start(c->conninfo);
    if (!pg)
        return store_fail(&fault->error, "PostgreSQL: out of memory");
    if (PQstatus(pg) == CONNECTION_BAD)
        return postgresql_fail(fault, c->conninfo, PQerrorMessage(pg));
    PQsetNoticeReceiver(pg, ignore_notice, NULL);
    ms = connect_ms(pg);
    c->session.deadline = begin + ms + STATEMENTS_MS;
    if (finish_connecting(c, begin + ms, fault) != 0)
        return -1;
    if (PQsetnonblocking(pg, 1) != 0 || !PQenterPipelineMode(pg))
        return postgresql_fail(fault, c->conninfo, PQerrorMessage(pg));
    return postgresql_set_up(&c->session, fault);
}

/* As connect_now, unless that failed a moment ago. */
static int connect_or_rest(struct driver_connection *c, struct postgresql_fault *fault)
{
    struct shared *shared = c->shared;
    bool rests;
    int status;

    pthread_mutex_lock(&shared->lock);
    rests = shared->failed && postgresql_now() - shared->failed_at < REST_MS;
    if (rests)
        *fault = shared->fault;
    pthread_mutex_unlock(&shared->lock);
    if (rests)
        return -1;
    status = connect_now(c, fault);
    pthread_mutex_lock(&shared->lock);
    shared->failed = status != 0;
    if (status != 0) {
        shared->failed_at = postgresql_now();
        shared->fault = *fault;
    }
    pthread_mutex_unlock(&shared->lock);
    return status;
}

/* ---------------------------------------------------------------- a call */

/* An idle connection on which something can be read was most probably ended by the server: it says
 * so, and closes. */
static bool is_alive(PGconn *pg)
{
    for (int i = 0; i < 4 && postgresql_wait(PQsocket(pg), POLLIN, postgresql_now()) != 0; i++)
        if (!PQconsumeInput(pg) || PQstatus(pg) == CONNECTION_BAD)
            return false;
    return PQstatus(pg) == CONNECTION_OK;
}

static int call_once(struct driver_connection *c, unsigned how,
                     const struct postgresql_statement *statements, int count, PGresult **results,
                     struct postgresql_fault *fault)
{
    if (!c->session.pg && connect_or_rest(c, fault) != 0)
        return -1;
    if ((how & POSTGRESQL_TABLES) && !c->has_tables) {
        if (postgresql_make_tables(&c->session, fault) != 0)
            return -1;
        c->has_tables = true;
    }
    return count ? postgresql_exchange(&c->session, statements, count, results, fault) : 0;
}

int postgresql_call(struct driver_connection *c, unsigned how,
                    const struct postgresql_statement *statements, int count, PGresult **results,
                    struct postgresql_fault *fault)
{
    int64_t begin = postgresql_now();
    bool was_open;

    c->session.deadline = begin + CONNECT_MS + STATEMENTS_MS;
    if (c->session.pg && !is_alive(c->session.pg))
        disconnect(c);
    was_open = c->session.pg != NULL;
    if (call_once(c, how, statements, count, results, fault) == 0)
        return 0;
    disconnect(c);
    if (!was_open || !fault->broken || !(how & POSTGRESQL_AGAIN) ||
        postgresql_now() - begin > AGAIN_MS)
        return -1;
    if (call_once(c, how, statements, count, results, fault) == 0)
        return 0;
    disconnect(c);
    return -1;
}
