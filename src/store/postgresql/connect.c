/* connect - see connect.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store/postgresql/connect.h"

#include "system/patience.h"
#include "text/ascii.h"
#include "text/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 12 has plan_cache_mode. */
#define SERVER_VERSION_MIN 120000

static const char scheme[] = "postgresql:";

/* ---------------------------------------------------------------- the URL */

char *postgresql_conninfo(struct span rest)
{
    bool is_uri = span_starts_nocase(rest, span_cstr("//"));
    size_t room = sizeof scheme + rest.n;
    char *conninfo = memory_new(room, 1);
    snprintf(conninfo, room, "%s%.*s", is_uri ? scheme : "", (int)rest.n, rest.p);
    return conninfo;
}

/* The keyword in libpq's 'invalid connection option "KEYWORD"', where it stands in the URL before
 * anything that may be a password: one with a blank that nobody quoted is cut into "keywords".
 * Empty: libpq says something else, or it may be secret. */
static struct span public_keyword(const char *message, const char *conninfo)
{
    struct span word = span_cstr(message);
    const char *at;
    word = span_sub(word, span_find(word, '"') + 1, word.n);
    word = span_sub(word, 0, span_find(word, '"'));
    for (size_t i = 0; i < word.n; i++)
        if (!ascii_is_alpha(word.p[i]) && word.p[i] != '_')
            return span_of(NULL, 0);
    for (at = conninfo; *at != '\0'; at++) {
        struct span here = span_cstr(at);
        if (word.n > 0 && strncmp(at, word.p, word.n) == 0 &&
            span_starts_nocase(span_trim(span_sub(here, word.n, here.n)), span_cstr("=")))
            break;
        if (span_starts_nocase(here, span_cstr("pass")))
            return span_of(NULL, 0);
    }
    /* What stands before the "@" of a URI is secret, too. */
    if (*at == '\0' || (strncmp(conninfo, scheme, strlen(scheme)) == 0 && strchr(at, '@') != NULL))
        return span_of(NULL, 0);
    return word;
}

const char *postgresql_url_fault(struct span rest, char *room, size_t size)
{
    const char *fault = "is no connection string of libpq: \"postgresql:KEYWORD=VALUE ...\" or "
                        "\"postgresql://HOST/DATABASE?KEYWORD=VALUE\"";
    char *conninfo = postgresql_conninfo(rest);
    char *message = NULL;
    PQconninfoOption *options = PQconninfoParse(conninfo, &message);
    /* libpq's own text may show a part of a password. */
    if (options == NULL && message != NULL) {
        struct span keyword = public_keyword(message, conninfo);
        if (keyword.n > 0) {
            snprintf(room, size, "has the keyword \"%.*s\", which libpq does not know",
                     (int)keyword.n, keyword.p);
            fault = room;
        }
    } else if (options != NULL) {
        fault = NULL;
    }
    PQconninfoFree(options);
    PQfreemem(message);
    free(conninfo);
    return fault;
}

/* ---------------------------------------------------------------- errors */

/* libpq marks passwords with "*". A password that is written wrong ends in another option: "port=
 * password=X", and in a URL one with "/" in the port and the database, one with "@" in the host. */
static bool may_be_secret(const PQconninfoOption *o)
{
    if (o->dispchar[0] == '*' || strstr(o->keyword, "password") != NULL ||
        strstr(o->val, "password") != NULL)
        return true;
    if (strcmp(o->keyword, "port") == 0)
        return o->val[strspn(o->val, "0123456789,")] != '\0';
    return strchr(o->val, '@') != NULL && strcmp(o->keyword, "user") != 0;
}

/* Overwrites what of the connection may be secret. 0; -1: nobody knows what that is. */
static int hide_secrets(PGconn *pg, char *text)
{
    PQconninfoOption *options = PQconninfo(pg);
    for (const PQconninfoOption *o = options; o != NULL && o->keyword != NULL; o++) {
        size_t n = o->val != NULL && may_be_secret(o) ? strlen(o->val) : 0;
        for (char *p = text; n > 0 && (p = strstr(p, o->val)) != NULL; p += n)
            memset(p, '*', n);
    }
    PQconninfoFree(options);
    return options != NULL ? 0 : -1;
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

int postgresql_fail(PGconn *pg, const PGresult *result, struct postgresql_fault *fault)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    char *copy = memory_copy(text != NULL ? text : PQerrorMessage(pg));
    memset(fault, 0, sizeof *fault);
    fault->broken = state == NULL || PQstatus(pg) == CONNECTION_BAD;
    if (state != NULL) {
        snprintf(fault->sqlstate, sizeof fault->sqlstate, "%s", state);
        fault->broken = fault->broken || another_connection_may_help(state);
    }
    if (hide_secrets(pg, copy) != 0)
        store_fail(&fault->error, "PostgreSQL: an error that cannot be shown");
    else
        store_fail(&fault->error, "PostgreSQL: %s", *copy != '\0' ? copy : "the connection failed");
    free(copy);
    return -1;
}

/* ---------------------------------------------------------------- connecting */

/* Numbers must not get lost: synchronous_commit is raised from "off", and left alone where it is
 * one of the values that wait for a disk.
 *
 * The server plans the statements once, when the tables may be empty. Plans must be those for many
 * rows: by index, row by row. A sequential scan that cannot be avoided counts as so dear that
 * compiling it would seem worth while: no jit. */
static const char settings[] = "SET statement_timeout = %u;"
                               "SET lock_timeout = %u;"
                               "SET idle_in_transaction_session_timeout = %u;"
                               "SET default_transaction_isolation = 'read committed';"
                               "SELECT set_config('synchronous_commit', 'on', false)"
                               " WHERE current_setting('synchronous_commit') = 'off';"
                               "SET plan_cache_mode = force_generic_plan;"
                               "SET enable_seqscan = off;"
                               "SET enable_hashjoin = off;"
                               "SET enable_mergejoin = off;"
                               "SET jit = off";

int postgresql_run(PGconn *pg, const char *sql, struct postgresql_fault *fault)
{
    PGresult *result = PQexec(pg, sql);
    ExecStatusType status = PQresultStatus(result);
    int failed = 0;
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        failed = postgresql_fail(pg, result, fault);
    PQclear(result);
    return failed;
}

static int make_settings(PGconn *pg, struct postgresql_fault *fault)
{
    char sql[sizeof settings + 30];
    snprintf(sql, sizeof sql, settings, patience.postgresql_statement, patience.postgresql_lock,
             patience.postgresql_idle);
    return postgresql_run(pg, sql, fault);
}

/* The text of "relation exists already, skipping" and the like would go to standard error. */
static void ignore_notice(void *arg, const PGresult *result)
{
    (void)arg, (void)result;
}

PGconn *postgresql_connect(const char *conninfo, struct postgresql_fault *fault)
{
    /* What stands before dbname can be changed by the connection string, which it holds; what
     * stands behind it cannot. A connection over which nothing comes back is given up by the
     * kernel. */
    static const char *const keywords[] = {
        "connect_timeout",  "keepalives_idle",  "keepalives_interval",
        "keepalives_count", "tcp_user_timeout", "fallback_application_name",
        "dbname",           "client_encoding",  NULL};
    char seconds[16];
    char silence[16];
    const char *const values[] = {seconds,    "30",     "10",   "3", silence,
                                  "mlmilter", conninfo, "UTF8", NULL};
    PGconn *pg;
    int failed = -1;
    snprintf(seconds, sizeof seconds, "%u", patience.postgresql_connect / 1000);
    snprintf(silence, sizeof silence, "%u", patience.postgresql_silence);
    pg = PQconnectdbParams(keywords, values, 1);
    memset(fault, 0, sizeof *fault);
    PQsetNoticeReceiver(pg, ignore_notice, NULL);
    if (PQstatus(pg) != CONNECTION_OK)
        postgresql_fail(pg, NULL, fault);
    else if (PQserverVersion(pg) < SERVER_VERSION_MIN)
        store_fail(&fault->error, "PostgreSQL: the server is older than version 12");
    else
        failed = make_settings(pg, fault);
    if (failed == 0)
        return pg;
    PQfinish(pg);
    return NULL;
}
