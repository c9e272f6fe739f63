/* store_postgresql_connection - connecting, doing again what broke, not asking a dead server */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store/postgresql/store_postgresql_connection.h"

#include "store/driver.h"
#include "store/postgresql/store_postgresql_hosts.h"
#include "store/postgresql/store_postgresql_tables.h"
#include "store/postgresql/store_postgresql_url.h"
#include "system/monotonic.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* How long a call may take; its caller waits for 10 s (store.c). */
#define CALL_MS 9000

/* How long connecting may take where connect_timeout= does not say it, and at most, with all hosts
 * together: the statements need some time, too. */
#define CONNECT_SECONDS "5"
#define CONNECT_MS      5000
#define CONNECT_MAX_MS  6000

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
    bool had_tables; /* some connection; what goes away then is not made anew (SU-20) */
};

struct driver_connection {
    struct postgresql_session session; /* pg: NULL when closed */
    struct shared *shared;
    bool is_checked; /* the tables' version is ours */
    bool is_ready;   /* and the statements are prepared */
    char conninfo[];
};

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
    struct driver_connection *c = calloc(1, sizeof *c + postgresql_conninfo_room(text));

    if (!c)
        return NULL;
    c->shared = shared;
    c->session.conninfo = postgresql_conninfo(text, c->conninfo);
    return c;
}

static void disconnect(struct driver_connection *c)
{
    PQfinish(c->session.pg);
    c->session.pg = NULL;
    c->is_checked = c->is_ready = false;
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
            ms = seconds < CONNECT_MAX_MS / 1000 ? seconds * 1000 : CONNECT_MAX_MS;
    }
    if (options)
        PQconninfoFree(options);
    return ms;
}

static PGconn *start(const char *conninfo, const struct postgresql_host *host)
{
    /* What stands before dbname can be changed by the connection string, which it holds; what
     * stands behind it cannot, unless it is "". A connection over which nothing comes back is given
     * up by the kernel too. */
    static const char *const keywords[] = {"connect_timeout",
                                           "keepalives_idle",
                                           "keepalives_interval",
                                           "keepalives_count",
                                           "tcp_user_timeout",
                                           "fallback_application_name",
                                           "dbname",
                                           "client_encoding",
                                           "host",
                                           "hostaddr",
                                           "port",
                                           NULL};
    const char *const values[] = {CONNECT_SECONDS, "30",           "10",       "3",
                                  "10000",         "mlmilter",     conninfo,   "UTF8",
                                  host->host,      host->hostaddr, host->port, NULL};

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

/* latest: when it must be over. */
static int connect_to(struct driver_connection *c, const struct postgresql_host *host,
                      int64_t latest, struct postgresql_fault *fault)
{
    int64_t deadline;
    PGconn *pg;

    memset(fault, 0, sizeof *fault);
    c->session.pg = pg = start(c->conninfo, host);
    if (!pg)
        return store_fail(&fault->error, "PostgreSQL: out of memory");
    if (PQstatus(pg) == CONNECTION_BAD)
        return postgresql_fail(fault, c->conninfo, PQerrorMessage(pg));
    PQsetNoticeReceiver(pg, ignore_notice, NULL);
    deadline = monotonic_now() + connect_ms(pg);
    if (finish_connecting(c, deadline < latest ? deadline : latest, fault) != 0)
        return -1;
    if (PQsetnonblocking(pg, 1) != 0 || !PQenterPipelineMode(pg))
        return postgresql_fail(fault, c->conninfo, PQerrorMessage(pg));
    return postgresql_set_up(&c->session, fault);
}

/* libpq goes on to the next of several hosts when one refuses, but leaves it to those who do not
 * block to give up one that is silent; and then there is no way on to the next. So each is a
 * connection of its own, in the order of the connection string, with its part of the time. */
static int connect_now(struct driver_connection *c, struct postgresql_fault *fault)
{
    int64_t end = monotonic_now() + CONNECT_MAX_MS;
    struct postgresql_hosts hosts;
    int status = -1;

    memset(fault, 0, sizeof *fault);
    if (postgresql_hosts_split(&hosts, c->conninfo) != 0)
        return postgresql_fail(fault, c->conninfo, "out of memory");
    for (int i = 0; i < hosts.count && status != 0; i++) {
        int64_t now = monotonic_now();

        disconnect(c);
        status = connect_to(c, &hosts.hosts[i], now + (end - now) / (hosts.count - i), fault);
    }
    postgresql_hosts_free(&hosts);
    return status;
}

/* As connect_now, unless that failed a moment ago. */
static int connect_or_rest(struct driver_connection *c, struct postgresql_fault *fault)
{
    struct shared *shared = c->shared;
    bool rests;
    int status;

    pthread_mutex_lock(&shared->lock);
    rests = shared->failed && monotonic_now() - shared->failed_at < REST_MS;
    if (rests)
        *fault = shared->fault;
    pthread_mutex_unlock(&shared->lock);
    if (rests)
        return -1;
    status = connect_now(c, fault);
    pthread_mutex_lock(&shared->lock);
    shared->failed = status != 0;
    if (status != 0) {
        shared->failed_at = monotonic_now();
        shared->fault = *fault;
    }
    pthread_mutex_unlock(&shared->lock);
    return status;
}

/* ---------------------------------------------------------------- a call */

/* The tables are not there. Were they, then a new one would give its numbers again. */
static int fail_tables(struct driver_connection *c, struct postgresql_fault *fault)
{
    bool had;

    pthread_mutex_lock(&c->shared->lock);
    had = c->shared->had_tables;
    pthread_mutex_unlock(&c->shared->lock);
    if (!had || strcmp(fault->sqlstate, POSTGRESQL_NO_TABLE) != 0)
        return -1;
    fault->sqlstate[0] = '\0';
    return store_fail(&fault->error, "PostgreSQL: the tables were removed: put them back, or start "
                                     "mlmilter again to have new ones, which count from 1");
}

/* Has the tables there as the call wants them. */
static int get_ready(struct driver_connection *c, bool writes, struct postgresql_fault *fault)
{
    bool had;
    int status = 0;

    pthread_mutex_lock(&c->shared->lock);
    had = c->shared->had_tables;
    pthread_mutex_unlock(&c->shared->lock);
    if (writes && !c->is_ready)
        status = postgresql_make_tables(&c->session, !had, fault);
    else if (!c->is_checked)
        status = postgresql_check_tables(&c->session, fault);
    if (status != 0)
        return -1;
    c->is_checked = true;
    c->is_ready = c->is_ready || writes;
    if (!had) {
        pthread_mutex_lock(&c->shared->lock);
        c->shared->had_tables = true;
        pthread_mutex_unlock(&c->shared->lock);
    }
    return 0;
}

static int call_once(struct driver_connection *c, bool writes,
                     const struct postgresql_statement *statements, int count, PGresult **results,
                     struct postgresql_fault *fault)
{
    if (!c->session.pg && connect_or_rest(c, fault) != 0)
        return -1;
    if (get_ready(c, writes, fault) != 0 ||
        (count && postgresql_exchange(&c->session, statements, count, results, fault) != 0))
        return fail_tables(c, fault);
    return 0;
}

int postgresql_call(struct driver_connection *c, bool writes,
                    const struct postgresql_statement *statements, int count, PGresult **results,
                    struct postgresql_fault *fault)
{
    int64_t begin = monotonic_now();
    bool was_open = c->session.pg != NULL;

    c->session.deadline = begin + CALL_MS;
    if (call_once(c, writes, statements, count, results, fault) == 0)
        return 0;
    disconnect(c);
    if (!was_open || !fault->broken || monotonic_now() - begin > AGAIN_MS)
        return -1;
    if (call_once(c, writes, statements, count, results, fault) == 0)
        return 0;
    disconnect(c);
    return -1;
}
