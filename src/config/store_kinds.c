/* store_kinds - which kinds of stores there are, and which of them are built in. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "config/store_kinds.h"

#include <stdbool.h>

#ifdef HAVE_SQLITE
#define WITH_SQLITE true
#define SQLITE      "SQLite: yes"
#else
#define WITH_SQLITE false
#define SQLITE      "SQLite: no"
#endif
#ifdef HAVE_LIBPQ
#define WITH_LIBPQ true
#define POSTGRESQL "PostgreSQL: yes"
#else
#define WITH_LIBPQ false
#define POSTGRESQL "PostgreSQL: no"
#endif
#ifdef HAVE_LIBIDN2
#define IDN "libidn2: yes"
#else
#define IDN "libidn2: no"
#endif

const char *built_in_features(void)
{
    return SQLITE ", " POSTGRESQL ", " IDN;
}

static const struct kind {
    const char *scheme;
    bool built_in;
    const char *missing;
    const char *empty; /* the fault when nothing stands behind the scheme; NULL: none */
} kinds[] = {
    {"sqlite:", WITH_SQLITE, "SQLite is not built in", "names no file (expected \"sqlite:PATH\")"},
    {"postgresql:", WITH_LIBPQ, "PostgreSQL (libpq) is not built in",
     "names no database (expected \"postgresql:CONNINFO\", for example "
     "\"postgresql:host=db.example "
     "dbname=mlmilter\")"},
    {"memory:", true, NULL, NULL},
    {"failing:", true, NULL, NULL},
};

static const struct kind *kind_of(struct span store)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct span scheme = span_cstr(kinds[i].scheme);
        if (span_eq(span_sub(store, 0, scheme.n), scheme))
            return &kinds[i];
    }
    return NULL;
}

const char *store_key_fault(struct span store)
{
    const struct kind *kind = kind_of(store);
    if (kind == NULL)
        return "is no store (expected \"sqlite:PATH\" or \"postgresql:CONNINFO\")";
    struct span rest = span_sub(store, span_cstr(kind->scheme).n, store.n);
    if (kind->empty != NULL && span_trim(rest).n == 0)
        return kind->empty;
    if (kind == &kinds[0] && rest.p[rest.n - 1] == '/')
        return kind->empty;
    return NULL;
}

const char *store_key_missing(struct span store)
{
    const struct kind *kind = kind_of(store);
    return kind == NULL || kind->built_in ? NULL : kind->missing;
}

size_t store_key_path(struct span store)
{
    return kind_of(store) == &kinds[0] ? span_cstr(kinds[0].scheme).n : store.n;
}
