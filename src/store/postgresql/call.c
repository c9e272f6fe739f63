/* call - see call.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store/postgresql/call.h"

#include "store/postgresql/tables.h"
#include "text/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct driver_connection {
    PGconn *pg; /* NULL: not open */
    char *conninfo;
    atomic_bool *had_tables; /* some connection; what goes away then is not made anew (SU-20) */
    bool is_checked;         /* the tables' version is ours */
    bool is_ready;           /* and the statements are prepared */
};

void *postgresql_shared_new(const char *rest)
{
    (void)rest;
    return memory_new(1, sizeof(atomic_bool));
}

static void disconnect(struct driver_connection *c)
{
    PQfinish(c->pg);
    c->pg = NULL;
    c->is_checked = c->is_ready = false;
}

void postgresql_connection_free(struct driver_connection *c)
{
    disconnect(c);
    free(c->conninfo);
    free(c);
}

struct driver_connection *postgresql_connection_new(const char *rest, void *shared)
{
    struct driver_connection *c = memory_new(1, sizeof *c);
    c->had_tables = shared;
    c->conninfo = postgresql_conninfo(span_cstr(rest));
    return c;
}

/* Has the tables there as the call wants them. */
static int get_ready(struct driver_connection *c, bool writes, struct postgresql_fault *fault)
{
    int status = 0;
    if (writes && !c->is_ready)
        status = postgresql_make_tables(c->pg, !atomic_load(c->had_tables), fault);
    else if (!c->is_checked)
        status = postgresql_check_tables(c->pg, fault);
    if (status != 0)
        return -1;
    c->is_checked = true;
    c->is_ready = c->is_ready || writes;
    atomic_store(c->had_tables, true);
    return 0;
}

static int call_once(struct driver_connection *c, bool writes,
                     const struct postgresql_statement *statements, int count, PGresult **results,
                     struct postgresql_fault *fault)
{
    if (c->pg == NULL)
        c->pg = postgresql_connect(c->conninfo, fault);
    if (c->pg == NULL)
        return -1;
    if (get_ready(c, writes, fault) == 0 &&
        (count == 0 || postgresql_exchange(c->pg, statements, count, results, fault) == 0))
        return 0;
    /* Tables that were there are not: new ones would give their numbers again. */
    if (strcmp(fault->sqlstate, POSTGRESQL_NO_TABLE) == 0 && atomic_load(c->had_tables)) {
        fault->sqlstate[0] = '\0';
        store_fail(&fault->error, "PostgreSQL: the tables were removed: put them back, or start "
                                  "mlmilter again to have new ones, which count from 1");
    }
    return -1;
}

int postgresql_call(struct driver_connection *c, bool writes,
                    const struct postgresql_statement *statements, int count, PGresult **results,
                    struct postgresql_fault *fault)
{
    bool again;
    do {
        bool was_open = c->pg != NULL;
        if (call_once(c, writes, statements, count, results, fault) == 0)
            return 0;
        again = was_open && fault->broken;
        if (fault->broken || !c->is_ready || PQtransactionStatus(c->pg) != PQTRANS_IDLE)
            disconnect(c);
    } while (again);
    return -1;
}
