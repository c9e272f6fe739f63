/* drivers - which kinds of stores are built in, and what they have in common */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "store/driver.h"

#include "text/ascii.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A kind that is not built in says what it needs. */
struct kind {
    const char *scheme;
    const struct store_driver *driver;
    const char *missing;
};

static const struct kind kinds[] = {
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

const struct store_driver *store_driver_of(struct span url, struct span *rest, const char **fault,
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

    store_driver_of(url, &rest, &fault, room, size);
    return fault;
}

int store_fail(struct store_error *error, const char *format, ...)
{
    va_list ap;
    size_t n;

    va_start(ap, format);
    vsnprintf(error->text, sizeof error->text, format, ap);
    va_end(ap);
    /* Texts of libraries have line ends. */
    n = strlen(error->text);
    while (n > 0 && (ascii_is_control(error->text[n - 1]) || error->text[n - 1] == ' '))
        error->text[--n] = '\0';
    for (size_t i = 0; i < n; i++)
        if (ascii_is_control(error->text[i]))
            error->text[i] = ' ';
    return -1;
}

int store_fail_used_up(struct store_error *error, struct span list)
{
    return store_fail(error, "%.*s: the list has used up its numbers", (int)list.n, list.p);
}

int store_fail_floor(struct store_error *error, struct span list, uint64_t last, uint64_t floor)
{
    return store_fail(error,
                      "%.*s: its last number was %" PRIu64 " and is %" PRIu64
                      " now: did an older copy come in its place? (mlmilterctl sequence set)",
                      (int)list.n, list.p, floor, last);
}
