/* url - see url.h */
#include "store/url.h"

#include "config/store_kinds.h"
#include "text/memory.h"

#include <stdlib.h>
#include <string.h>

/* NULL: not built in. */
static const struct driver *const drivers[STORE_KINDS] = {
#ifdef HAVE_SQLITE
    [STORE_SQLITE] = &driver_sqlite,
#endif
#ifdef HAVE_LIBPQ
    [STORE_POSTGRESQL] = &driver_postgresql,
#endif
};

const char *store_url_fault(struct span url)
{
    const char *fault = store_key_fault(url);
    if (fault == NULL)
        fault = store_key_missing(url);
#ifdef HAVE_LIBPQ
    struct span rest;
    if (fault == NULL && store_kind_of(url, &rest) == STORE_POSTGRESQL) {
        char *where = memory_new(rest.n + 1, 1);
        memcpy(where, rest.p, rest.n);
        if (!postgresql_is_conninfo(where))
            fault = "is no connection string of libpq: \"postgresql:KEYWORD=VALUE ...\" or "
                    "\"postgresql://HOST/DATABASE?KEYWORD=VALUE\"";
        free(where);
    }
#endif
    return fault;
}

struct numbers *numbers_of_url(const char *url, bool read_only, struct store_error *error)
{
    struct span rest;
    enum store_kind kind = store_kind_of(span_cstr(url), &rest);
    const char *fault = store_url_fault(span_cstr(url));
    if (fault == NULL)
        return numbers_new(drivers[kind], rest.p, read_only);
    /* The text after the scheme may contain a password. */
    store_fail(error, "\"%.*s\" %s", (int)strcspn(url, ":"), url, fault);
    return NULL;
}

struct store *store_of_url(const char *url, bool read_only, struct store_error *error)
{
    struct numbers *numbers = numbers_of_url(url, read_only, error);
    return numbers != NULL ? store_new(numbers) : NULL;
}
