/*
 * store_postgresql_url - the URL of a store as libpq takes it, and what is wrong with it
 *
 * For the files of the PostgreSQL driver only.
 */
#ifndef MLMILTER_STORE_POSTGRESQL_STORE_POSTGRESQL_URL_H
#define MLMILTER_STORE_POSTGRESQL_STORE_POSTGRESQL_URL_H

#include "text/span.h"

#include <stddef.h>

/* Writes the connection string, with a NUL behind it, of what stands behind "postgresql:" to room
 * of so many octets; returns it. Of a libpq URI the scheme is a part. "": libpq's defaults. */
size_t postgresql_conninfo_room(struct span rest);
char *postgresql_conninfo(struct span rest, char *to);

/* As in store_driver. */
const char *postgresql_url_fault(struct span rest, char *room, size_t size);

#endif
