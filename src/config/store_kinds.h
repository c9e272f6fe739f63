/*
 * store_kinds - the kinds of stores, and which of them are built in (pure; texts are static)
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

/* Returns the kind of a store, built in or not. *rest: the text after the scheme. */
enum store_kind store_kind_of(struct span store, struct span *rest);

/* Returns what is wrong with a store, as a phrase after it, or NULL. */
const char *store_key_fault(struct span store);

/* Returns a sentence with what is missing for the kind of store, or NULL if it is built in or no
 * kind. */
const char *store_key_missing(struct span store);

/* Checks a store for its database. Returns NULL, or what is wrong with it. */
typedef const char *store_fault_ask(struct span store);

/* Returns where the path, which may be relative, begins in a store, or store.n. */
size_t store_key_path(struct span store);

/* Returns "SQLite: yes, ...": the optional libraries that this program was built with. */
const char *built_in_features(void);

#endif
