/* database - opening, the tables, and SQLite's errors */
#include "store/sqlite/database.h"

#include "store/sqlite/place.h"
#include "system/monotonic.h"
#include "system/patience.h"
#include "text/strbuf.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "mlmi"; file(1) and we know our databases by it. */
#define APPLICATION_ID 0x6D6C6D69
#define SCHEMA_VERSION 1

/* A post's row stands in the order of its key: one tree to search and to write, and one by time for
 * pruning. The newest rows of that one stand side by side: by first_seen alone, as older databases
 * have it, those of one second stand in the order of their keys, and each post writes one page
 * more. `first` is the fingerprint of the first post with this message, NULL in its own row, so
 * that any row tells; it stays when that first one is pruned. `file` says for which file the
 * write-ahead log beside it was written. */
static const char schema[] =
    "CREATE TABLE lists (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " last INTEGER NOT NULL);"
    "CREATE TABLE posts (list INTEGER NOT NULL, message BLOB NOT NULL, fingerprint BLOB NOT NULL,"
    " number INTEGER, first BLOB, first_seen INTEGER NOT NULL,"
    " PRIMARY KEY (list, message, fingerprint)) WITHOUT ROWID;"
    "CREATE INDEX posts_first_seen ON posts (first_seen, list, number);"
    "CREATE TABLE file (inode INTEGER NOT NULL);";

#define PRUNE_POSTS(and_list)                                                                      \
    "DELETE FROM posts WHERE (list, message, fingerprint) IN"                                      \
    " (SELECT list, message, fingerprint FROM posts WHERE first_seen < ?1" and_list " LIMIT ?2)"

static const char *const statements[DB_STATEMENT_COUNT] = {
    [DB_BEGIN] = "BEGIN IMMEDIATE",
    [DB_COMMIT] = "COMMIT",
    [DB_LIST_GET] = "SELECT id, last FROM lists WHERE name = ?1",
    [DB_LIST_ADD] = "INSERT INTO lists (name, last) VALUES (?1, ?2)",
    [DB_LIST_SET] = "UPDATE lists SET last = ?2 WHERE id = ?1",
    [DB_POST_GET] = "SELECT number, first FROM posts"
                    " WHERE list = ?1 AND message = ?2 AND fingerprint = ?3",
    [DB_POST_ANY] = "SELECT coalesce(first, fingerprint) FROM posts"
                    " WHERE list = ?1 AND message = ?2 LIMIT 1",
    [DB_POST_ADD] = "INSERT INTO posts (list, message, fingerprint, number, first, first_seen)"
                    " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [DB_POST_NUMBER] = "UPDATE posts SET number = ?4"
                       " WHERE list = ?1 AND message = ?2 AND fingerprint = ?3",
    [DB_PRUNE] = PRUNE_POSTS(""),
    [DB_PRUNE_LIST] = PRUNE_POSTS(" AND list = (SELECT id FROM lists WHERE name = ?3)"),
};

/* What a file holds. */
struct stamp {
    int64_t application;
    int64_t version;
    int64_t tables;
};

/* A file that is closed loses the locks that the process has on it through others, so none of our
 * threads may open a database between the two system calls that make it. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

int db_fail(const struct sqlite_db *db, struct store_error *error)
{
    int system = sqlite3_system_errno(db->handle);
    int code = sqlite3_errcode(db->handle);
    if (code == SQLITE_NOTADB)
        return store_fail(error, "%s: it is not a database of SQLite", db->path);
    if (code == SQLITE_BUSY)
        return store_fail(error, "%s: another process keeps it locked", db->path);
    if (system != 0 && code != SQLITE_FULL)
        return store_fail(error, "%s: %s: %s", db->path, sqlite3_errmsg(db->handle),
                          strerror(system));
    return store_fail(error, "%s: %s", db->path, sqlite3_errmsg(db->handle));
}

void db_close(struct sqlite_db *db)
{
    for (int i = 0; i < DB_STATEMENT_COUNT; i++) {
        sqlite3_finalize(db->statements[i]);
        db->statements[i] = NULL;
    }
    sqlite3_close(db->handle);
    db->handle = NULL;
}

int db_run(struct sqlite_db *db, const char *sql, struct store_error *error)
{
    if (sqlite3_exec(db->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
        return db_fail(db, error);
    return 0;
}

sqlite3_stmt *db_statement(struct sqlite_db *db, enum db_statement which, struct store_error *error)
{
    sqlite3_stmt **kept = &db->statements[which];
    if (*kept == NULL && sqlite3_prepare_v3(db->handle, statements[which], -1,
                                            SQLITE_PREPARE_PERSISTENT, kept, NULL) != SQLITE_OK) {
        db_fail(db, error);
        return NULL;
    }
    sqlite3_reset(*kept);
    sqlite3_clear_bindings(*kept);
    return *kept;
}

int db_step(struct sqlite_db *db, sqlite3_stmt *statement, struct store_error *error)
{
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        return 1;
    if (code != SQLITE_DONE) {
        db_fail(db, error);
        sqlite3_reset(statement);
        return -1;
    }
    sqlite3_reset(statement);
    return 0;
}

int db_do(struct sqlite_db *db, enum db_statement which, struct store_error *error)
{
    sqlite3_stmt *statement = db_statement(db, which, error);
    return statement == NULL ? -1 : db_step(db, statement, error);
}

/* SQLite's own handler sleeps up to 100 ms, so that a process which commits all the time starves
 * the others (measured: 1.6 s). */
static int on_busy(void *context, int times)
{
    struct sqlite_db *db = context;
    if (times == 0)
        db->busy_until = monotonic_now() + patience.store_busy;
    if (monotonic_now() >= db->busy_until)
        return 0;
    monotonic_sleep(1);
    return 1;
}

/* The one number of a query; -1 with *error. */
static int ask_number(struct sqlite_db *db, const char *sql, int64_t *number,
                      struct store_error *error)
{
    sqlite3_stmt *statement;
    int result;
    if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) != SQLITE_OK)
        return db_fail(db, error);
    result = db_step(db, statement, error);
    *number = result == 1 ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return result < 0 ? -1 : 0;
}

/* 0: ours; 1: it is empty; -1. */
static int check_stamp(struct sqlite_db *db, struct store_error *error)
{
    struct stamp s;
    if (ask_number(db, "PRAGMA application_id", &s.application, error) != 0 ||
        ask_number(db, "PRAGMA user_version", &s.version, error) != 0 ||
        ask_number(db, "SELECT count(*) FROM sqlite_master", &s.tables, error) != 0)
        return -1;
    if (s.application == 0 && s.version == 0 && s.tables == 0)
        return 1;
    if (s.application != APPLICATION_ID)
        return store_fail(error, "%s: it is the database of another program", db->path);
    if (s.version != SCHEMA_VERSION)
        return store_fail(error,
                          "%s: it is of another version of mlmilter (schema %d; this one knows %d)",
                          db->path, (int)s.version, SCHEMA_VERSION);
    return 0;
}

static int set_wal(struct sqlite_db *db, struct store_error *error)
{
    sqlite3_stmt *statement;
    const unsigned char *mode;
    int result;
    if (sqlite3_prepare_v2(db->handle, "PRAGMA journal_mode = WAL", -1, &statement, NULL) !=
        SQLITE_OK)
        return db_fail(db, error);
    result = db_step(db, statement, error);
    mode = result == 1 ? sqlite3_column_text(statement, 0) : NULL;
    if (result >= 0 && (mode == NULL || strcmp((const char *)mode, "wal") != 0))
        result = store_fail(error, "%s: the file system allows no write-ahead log", db->path);
    sqlite3_finalize(statement);
    return result < 0 ? -1 : 0;
}

/* In a transaction: another process may do the same now. */
static int make_tables(struct sqlite_db *db, struct store_error *error)
{
    char stamp[160];
    int result;
    if (db_run(db, "BEGIN IMMEDIATE", error) != 0)
        return -1;
    snprintf(stamp, sizeof stamp,
             "PRAGMA application_id = %d; PRAGMA user_version = %d; INSERT INTO file VALUES (%lld)",
             APPLICATION_ID, SCHEMA_VERSION, (long long)db->inode);
    result = check_stamp(db, error);
    if (result == 1)
        result = db_run(db, schema, error) != 0 || db_run(db, stamp, error) != 0 ? -1 : 0;
    if (result == 0)
        result = db_run(db, "COMMIT", error);
    if (result != 0)
        sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    return result;
}

/* Posts come in the order of a digest, so each touches pages of its own: small ones, a log of 8 MB
 * between checkpoints and room for the inner pages write a third less than the defaults. No more
 * room: at the end of a transaction in which a page was split SQLite 3.40 walks through the whole
 * cache (16 MB took 12 us a post). */
#define PAGE_SIZE "PRAGMA page_size = 2048"
#define SIZES     "PRAGMA cache_size = -2048; PRAGMA wal_autocheckpoint = 4000"

/* A number is told only when it is on the disk. With the usual setting for a write-ahead log,
 * NORMAL, the last ones would be given again after the power failed. */
#define DURABLE "PRAGMA synchronous = FULL"

/* SQLite does not notice a log beside the file that was written for another one, of which this may
 * be an older copy: what it makes of the two is neither (SU-20). A copy without a log is right. */
static int check_log(struct sqlite_db *db, bool has_log, struct store_error *error)
{
    char sql[80];
    int64_t inode;
    if (ask_number(db, "SELECT inode FROM file", &inode, error) != 0)
        return -1;
    if ((ino_t)inode == db->inode)
        return 0;
    if (has_log)
        return db_fail_log(db, error);
    snprintf(sql, sizeof sql, "UPDATE file SET inode = %lld", (long long)db->inode);
    return db_run(db, sql, error);
}

static int prepare(struct sqlite_db *db, bool has_log, struct store_error *error)
{
    int result;
    if (sqlite3_db_readonly(db->handle, "main") != 0)
        return store_fail(error, "%s: it cannot be written%s%s", db->path,
                          access(db->path, W_OK) != 0 ? ": " : "",
                          access(db->path, W_OK) != 0 ? strerror(errno) : "");
    result = check_stamp(db, error);
    if (result < 0 || (result == 1 && db_run(db, PAGE_SIZE, error) != 0) ||
        set_wal(db, error) != 0 || db_run(db, SIZES, error) != 0 || db_run(db, DURABLE, error) != 0)
        return -1;
    return result == 1 ? make_tables(db, error) : check_log(db, has_log, error);
}

/* 0 or -1; the handle may be there all the same. */
static int open_handle(struct sqlite_db *db, const char *name, int flags, struct store_error *error)
{
    struct stat s;
    if (sqlite3_threadsafe() == 0)
        return store_fail(error, "SQLite was built without threads");
    if (sqlite3_open_v2(name, &db->handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
                        NULL) != SQLITE_OK)
        return db_fail(db, error);
    if (db_check_place(db, error) != 0)
        return -1;
    if (stat(db->path, &s) != 0)
        return store_fail(error, "%s: %s", db->path, strerror(errno));
    db->device = s.st_dev;
    db->inode = s.st_ino;
    sqlite3_busy_handler(db->handle, on_busy, db);
    return 0;
}

int db_open(struct sqlite_db *db, struct store_error *error)
{
    int64_t until = monotonic_now() + patience.store_busy;
    bool has_log = db_has_file(db, "-wal");
    int result = db_look_at_place(db, error);
    if (result < 0)
        return -1;
    pthread_mutex_lock(&making);
    if (result == 1)
        result = db_make_file(db, error);
    if (result == 0)
        result = open_handle(db, db->path, SQLITE_OPEN_READWRITE, error);
    pthread_mutex_unlock(&making);
    if (result == 0) {
        /* The change of the journal mode does not wait for others. */
        while ((result = prepare(db, has_log, error)) != 0 &&
               sqlite3_errcode(db->handle) == SQLITE_BUSY && monotonic_now() < until)
            monotonic_sleep(1);
    }
    db->known = db->known || result == 0;
    if (result != 0)
        db_close(db);
    return result;
}

/* A reader makes the log's files if they are missing, and a daemon of another user could not open
 * them then. So without a log, when nobody has the file open, it is read as it is; with one the
 * log's index is only read. */
int db_open_to_read(struct sqlite_db *db, struct store_error *error)
{
    struct strbuf uri = STRBUF_INIT;
    bool has_log = db_has_file(db, "-wal");
    int result = db_look_at_place(db, error);
    if (result != 0)
        return result;
    strbuf_add_str(&uri, "file:");
    for (const char *p = db->path; *p != '\0'; p++) {
        if (*p == '%' || *p == '?' || *p == '#')
            strbuf_addf(&uri, "%%%02X", (unsigned)*p);
        else
            strbuf_add_char(&uri, *p);
    }
    strbuf_add_str(&uri, has_log ? "?readonly_shm=1" : "?immutable=1");
    result = open_handle(db, strbuf_str(&uri), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
    strbuf_free(&uri);
    if (result == 0)
        result = check_stamp(db, error);
    if (result == 0 && has_log)
        result = check_log(db, has_log, error);
    if (result != 0)
        db_close(db);
    return result;
}
