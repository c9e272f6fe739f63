/*
 * url - the databases that are built in, and the store that a URL names
 */
#ifndef MLMILTER_STORE_URL_H
#define MLMILTER_STORE_URL_H

#include "store/numbers.h"
#include "store/store.h"
#include "text/span.h"

#include <stdbool.h>

/* Checks a URL of the key `store`: its form, and whether its database is built in. Returns NULL, or
 * the error as a phrase after the key or the value, without parts that may be secret. */
const char *store_url_fault(struct span url);

/* Return the store or the numbers of a URL, "sqlite:PATH" or "postgresql:CONNINFO", or NULL with
 * *error if the URL is wrong. Nothing is opened yet. read_only: nothing is created or written. */
struct store *store_of_url(const char *url, bool read_only, struct store_error *error);
struct numbers *numbers_of_url(const char *url, bool read_only, struct store_error *error);

/* True if libpq can parse the text after "postgresql:". */
bool postgresql_is_conninfo(const char *where);

#endif
