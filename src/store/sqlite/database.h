/*
 * database - a database of SQLite as the driver wants it: ours, durable, and its
 * statements kept
 *
 * For one thread; the file may be open in others and in other processes.
 */
#ifndef MLMILTER_STORE_SQLITE_DATABASE_H
#define MLMILTER_STORE_SQLITE_DATABASE_H

#include "store/error.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum db_statement {
    DB_BEGIN,
    DB_COMMIT,
    DB_LIST_GET,       /* name -> id, last */
    DB_LIST_ADD,       /* name, last */
    DB_LIST_SET,       /* id, last */
    DB_POST_GET,       /* list, message, fingerprint -> number, first */
    DB_POST_ANY,       /* list, message -> the fingerprint of the first with this message */
    DB_POST_ADD,       /* list, message, fingerprint, number, first, first_seen */
    DB_POST_NUMBER,    /* list, message, fingerprint, number */
    DB_PRUNE,          /* older_than, how many at most */
    DB_PRUNE_LIST,     /* as before, and list */
    DB_STATEMENT_COUNT /* not a statement */
};

struct sqlite_db {
    const char *path;
    sqlite3 *handle; /* NULL: not open */
    sqlite3_stmt *statements[DB_STATEMENT_COUNT];
    bool known;   /* the file was open once, and held our tables */
    dev_t device; /* of that file, or of the one that is being opened */
    ino_t inode;
    int64_t busy_until; /* when the wait for another process's lock ends, milliseconds */
};

/* All 0, or -1 with *error. */

/* Opens it to read and write; makes what is missing, but for a file of which there are signs that
 * it was there: a new one would give its numbers again (SU-20). */
int db_open(struct sqlite_db *db, struct store_error *error);

/* Opens it to read without writing or making any file. 1: there is nothing. */
int db_open_to_read(struct sqlite_db *db, struct store_error *error);

void db_close(struct sqlite_db *db);

/* Runs statements that give nothing. */
int db_run(struct sqlite_db *db, const char *sql, struct store_error *error);

/* The statement, ready to bind. NULL with *error. */
sqlite3_stmt *db_statement(struct sqlite_db *db, enum db_statement which,
                           struct store_error *error);

/* Runs a statement that takes and gives nothing. */
int db_do(struct sqlite_db *db, enum db_statement which, struct store_error *error);

/* The next row of it. 1: a row; 0: there are no more; -1. */
int db_step(struct sqlite_db *db, sqlite3_stmt *statement, struct store_error *error);

/* Says what SQLite says. Always -1. */
int db_fail(const struct sqlite_db *db, struct store_error *error);

#endif
