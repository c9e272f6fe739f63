/* store_kinds - see store_kinds.h */
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

static const struct {
    const char *scheme;
    bool is_built_in;
    const char *missing;
    const char *empty; /* the fault if nothing is after the scheme */
} kinds[STORE_KINDS] = {
    [STORE_SQLITE] = {"sqlite:", WITH_SQLITE, "SQLite is not built in",
                      "names no file (expected \"sqlite:PATH\")"},
    [STORE_POSTGRESQL] = {"postgresql:", WITH_LIBPQ, "PostgreSQL (libpq) is not built in",
                          "names no database (expected \"postgresql:CONNINFO\", for example "
                          "\"postgresql:host=db.example dbname=mlmilter\")"},
};

enum store_kind store_kind_of(struct span store, struct span *rest)
{
    for (int kind = 0; kind < STORE_KINDS; kind++) {
        struct span scheme = span_cstr(kinds[kind].scheme);
        *rest = span_sub(store, scheme.n, store.n);
        if (span_eq(span_sub(store, 0, scheme.n), scheme))
            return (enum store_kind)kind;
    }
    return STORE_KINDS;
}

const char *store_key_fault(struct span store)
{
    struct span rest;
    enum store_kind kind = store_kind_of(store, &rest);
    if (kind == STORE_KINDS)
        return "is no store (expected \"sqlite:PATH\" or \"postgresql:CONNINFO\")";
    bool is_folder = kind == STORE_SQLITE && span_ends_nocase(rest, span_cstr("/"));
    return is_folder || span_trim(rest).n == 0 ? kinds[kind].empty : NULL;
}

const char *store_key_missing(struct span store)
{
    struct span rest;
    enum store_kind kind = store_kind_of(store, &rest);
    return kind == STORE_KINDS || kinds[kind].is_built_in ? NULL : kinds[kind].missing;
}

size_t store_key_path(struct span store)
{
    struct span rest;
    return store_kind_of(store, &rest) == STORE_SQLITE ? store.n - rest.n : store.n;
}
