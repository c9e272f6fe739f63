/*
 * place - is the file at a path the database that it should be?
 *
 * A database that was removed, or an older copy in its place, would give numbers
 * again (SU-20), so there is no new one where there are signs of another.  For the
 * files of this folder only.
 */
#ifndef MLMILTER_STORE_SQLITE_PLACE_H
#define MLMILTER_STORE_SQLITE_PLACE_H

#include "store/sqlite/database.h"

/* Is the file at the path the one that was open, if any was? 0 or -1 with *error. */
int db_check_place(const struct sqlite_db *db, struct store_error *error);

/* Before anything is opened. 0; 1: the file is not there, or is empty, and may be made; -1 with
 * *error. */
int db_look_at_place(const struct sqlite_db *db, struct store_error *error);

/* Makes the file, unless it is there. 0 or -1 with *error. */
int db_make_file(const struct sqlite_db *db, struct store_error *error);

/* Is anything at the path with this ending? */
bool db_has_file(const struct sqlite_db *db, const char *ending);

/* The log that is there was written for another file. Always -1. */
int db_fail_log(const struct sqlite_db *db, struct store_error *error);

#endif
