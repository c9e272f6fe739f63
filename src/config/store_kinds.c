/* store_kinds - see store_kinds.h */
#include "config/store_kinds.h"

#include <stdbool.h>

#ifdef HAVE_SQLITE
#define SQLITE(yes, no) yes
#else
#define SQLITE(yes, no) no
#endif
#ifdef HAVE_LIBPQ
#define LIBPQ(yes, no) yes
#else
#define LIBPQ(yes, no) no
#endif
#ifdef HAVE_LIBIDN2
#define LIBIDN2(yes, no) yes
#else
#define LIBIDN2(yes, no) no
#endif

const char *built_in_features(void)
{
    return "SQLite: " SQLITE("yes", "no") ", PostgreSQL: " LIBPQ("yes", "no") ", libidn2: " LIBIDN2(
        "yes", "no");
}

static const struct {
    const char *scheme;
    const char *missing; /* NULL: it is built in */
    const char *empty;   /* the fault if nothing is after the scheme */
} kinds[STORE_KINDS] = {
    [STORE_SQLITE] = {"sqlite:", SQLITE(NULL, "SQLite is not built in"),
                      "names no file (expected \"sqlite:PATH\")"},
    [STORE_POSTGRESQL] = {"postgresql:", LIBPQ(NULL, "PostgreSQL (libpq) is not built in"),
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
    return kind == STORE_KINDS ? NULL : kinds[kind].missing;
}

size_t store_key_path(struct span store)
{
    struct span rest;
    return store_kind_of(store, &rest) == STORE_SQLITE ? store.n - rest.n : store.n;
}
