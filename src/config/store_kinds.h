/*
 * store_kinds - which kinds of stores there are, and what is built in
 *
 *   store = "sqlite:" path / "postgresql:" conninfo
 */
#ifndef MLMILTER_CONFIG_STORE_KINDS_H
#define MLMILTER_CONFIG_STORE_KINDS_H

#include "text/span.h"

#include <stddef.h>

enum store_kind {
    STORE_SQLITE,
    STORE_POSTGRESQL,
    STORE_KINDS /* none of them */
};

/* The kind of a store, built in or not; *rest: what stands behind the scheme. Pure. */
enum store_kind store_kind_of(struct span store, struct span *rest);

/* NULL, or what is wrong as a phrase behind the value in quotes. Static storage. Pure. */
const char *store_key_fault(struct span store);

/* NULL when the kind of store is built in (or no kind of store at all); else a sentence that says
 * what is missing. Static storage. Pure. */
const char *store_key_missing(struct span store);

/* The place of the path in a store, which may be relative; store.n when it has none. */
size_t store_key_path(struct span store);

/* Which optional libraries this program was built with: one line without its end, such as
 * "SQLite: yes, PostgreSQL: no, libidn2: yes". */
const char *built_in_features(void);

#endif
