/* drivers - see drivers.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store/drivers.h"

#include "config/store_kinds.h"
#include "store/postgresql/driver.h"
#include "store/sqlite/driver.h"
#include "store/testing/driver.h"

#include <string.h>

/* A fault has room in this many octets. */
#define FAULT_OCTETS 160

/* NULL: not built in. */
static const struct store_driver *const drivers[STORE_KINDS] = {
#ifdef HAVE_SQLITE
    [STORE_SQLITE] = &store_sqlite,
#endif
#ifdef HAVE_LIBPQ
    [STORE_POSTGRESQL] = &store_postgresql,
#endif
    [STORE_MEMORY] = &store_memory,
    [STORE_FAILING] = &store_failing,
};

/* The driver of a URL; *rest: what stands behind the scheme. NULL with *fault, as store_url_fault
 * says it. */
static const struct store_driver *driver_of(struct span url, struct span *rest, const char **fault,
                                            char *room, size_t size)
{
    enum store_kind kind = store_kind_of(url, rest);
    const struct store_driver *driver = kind != STORE_KINDS ? drivers[kind] : NULL;
    *fault = store_key_fault(url);
    if (*fault == NULL)
        *fault = store_key_missing(url);
    if (*fault == NULL && driver != NULL && driver->url_fault != NULL)
        *fault = driver->url_fault(*rest, room, size);
    return *fault == NULL ? driver : NULL;
}

const char *store_url_fault(struct span url, char *room, size_t size)
{
    struct span rest;
    const char *fault;
    driver_of(url, &rest, &fault, room, size);
    return fault;
}

struct store *store_new(const char *url, struct store_error *error)
{
    struct span rest;
    const char *fault;
    char room[FAULT_OCTETS];
    const struct store_driver *driver = driver_of(span_cstr(url), &rest, &fault, room, sizeof room);
    if (driver != NULL)
        return store_new_of(driver, rest.p);
    /* What stands behind the scheme may hold a password. */
    store_fail(error, "\"%.*s\" %s", (int)strcspn(url, ":"), url, fault);
    return NULL;
}
