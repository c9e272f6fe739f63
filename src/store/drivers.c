/* drivers - see drivers.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store/drivers.h"

#include "store/postgresql/driver.h"
#include "store/sqlite/driver.h"
#include "store/testing/driver.h"

#include <string.h>

/* A fault has room in this many octets. */
#define FAULT_OCTETS 160

/* A kind that is not built in says what it needs. */
static const struct kind {
    const char *scheme;
    const struct store_driver *driver;
    const char *missing;
} kinds[] = {
#ifdef HAVE_SQLITE
    {"sqlite", &store_sqlite, NULL},
#else
    {"sqlite", NULL, "needs SQLite, which is not built in"},
#endif
#ifdef HAVE_LIBPQ
    {"postgresql", &store_postgresql, NULL},
#else
    {"postgresql", NULL, "needs libpq (PostgreSQL), which is not built in"},
#endif
    {"memory", &store_memory, NULL},
    {"failing", &store_failing, NULL},
};

/* The driver of a URL; *rest: what stands behind "scheme:". NULL with *fault, as store_url_fault
 * says it. */
static const struct store_driver *driver_of(struct span url, struct span *rest, const char **fault,
                                            char *room, size_t size)
{
    size_t colon = span_find(url, ':');
    const struct kind *kind = NULL;

    *rest = span_sub(url, colon + 1, url.n);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (colon < url.n && span_eq(span_sub(url, 0, colon), span_cstr(kinds[i].scheme)))
            kind = &kinds[i];
    *fault = NULL;
    if (kind == NULL)
        *fault = "is not a store: sqlite:PATH or postgresql:CONNINFO";
    else if (kind->driver == NULL)
        *fault = kind->missing;
    else if (span_find(url, '\0') < url.n)
        *fault = "has a NUL";
    else if (kind->driver->url_fault != NULL)
        *fault = kind->driver->url_fault(*rest, room, size);
    return *fault == NULL ? kind->driver : NULL;
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
        return store_new_of(driver, strchr(url, ':') + 1, error);
    /* What stands behind the scheme may hold a password. */
    store_fail(error, "\"%.*s\" %s", (int)strcspn(url, ":"), url, fault);
    return NULL;
}
