/* sqlite - a database in a file, for one host */
#include "store/database.h"
#include "system/timeouts.h"
#include "text/memory.h"
#include "text/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "mlmi": file(1) and this driver know the databases by it. */
#define APPLICATION_ID "1835822441"
#define SCHEMA_VERSION "1"

/* clang-format off */
/* 0: ours; 1: empty; 2: another program's, or another version's. */
static const char owner_sql[] =
    "SELECT CASE WHEN application_id = " APPLICATION_ID " AND user_version = " SCHEMA_VERSION
    " THEN 0 WHEN application_id = 0 AND user_version = 0"
    " AND NOT EXISTS (SELECT * FROM sqlite_master) THEN 1 ELSE 2 END"
    " FROM pragma_application_id, pragma_user_version";

/* With these pages, log and cache, a third less is written than with the defaults. */
static const char set_up_sql[] =
    "PRAGMA page_size = 2048;" /* small, as a post touches pages of its own */
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = FULL;"        /* numbers are on disk before COMMIT returns */
    "PRAGMA cache_size = -2048;"        /* KiB; SQLite 3.40 walks through it at each split */
    "PRAGMA wal_autocheckpoint = 4000;" /* pages, 8 MB */
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS lists (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " last INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS posts (list INTEGER NOT NULL, message BLOB NOT NULL,"
    " fingerprint BLOB NOT NULL, number INTEGER,"
    " first BLOB," /* NULL in the first post's row; others keep it after that is pruned */
    " first_seen INTEGER NOT NULL,"
    " PRIMARY KEY (list, message, fingerprint)) WITHOUT ROWID;"
    /* By time alone, the posts of a second would be scattered over the pages of the index. */
    "CREATE INDEX IF NOT EXISTS posts_first_seen ON posts (first_seen, list, number);"
    "PRAGMA application_id = " APPLICATION_ID "; PRAGMA user_version = " SCHEMA_VERSION ";"
    "COMMIT";

#define LIST_ID "(SELECT id FROM lists WHERE name = ?1)"

static const char *const statements[STATEMENT_COUNT] = {
    [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
    [STATEMENT_LIMIT] = "SELECT 1", /* it locks the file, no rows */
    [STATEMENT_COMMIT] = "COMMIT",
    [STATEMENT_LOOK_LIST] = "SELECT last FROM lists WHERE name = ?1",
    [STATEMENT_GET_LIST] = "SELECT last FROM lists WHERE name = ?1",
    [STATEMENT_ADD_LIST] = "INSERT INTO lists (name, last) VALUES (?1, 0) ON CONFLICT DO NOTHING",
    [STATEMENT_SET_LIST] = "UPDATE lists SET last = ?4 WHERE name = ?1",
    [STATEMENT_GET_POST] =
        "SELECT p.number, p.list IS NOT NULL, coalesce(f.first, f.fingerprint)"
        " FROM (SELECT list, first, fingerprint FROM posts"
        " WHERE list = " LIST_ID " AND message = ?2 LIMIT 1) f"
        " LEFT JOIN posts p ON p.list = f.list AND p.message = ?2 AND p.fingerprint = ?3",
    [STATEMENT_PUT_POST] =
        "INSERT INTO posts (list, message, fingerprint, number, first, first_seen)"
        " VALUES (" LIST_ID ", ?2, ?3, ?4, ?5, ?6)"
        " ON CONFLICT (list, message, fingerprint) DO UPDATE SET number = excluded.number",
    [STATEMENT_PRUNE] =
        "DELETE FROM posts WHERE (list, message, fingerprint) IN"
        " (SELECT list, message, fingerprint FROM posts"
        " WHERE first_seen < ?6 AND (?1 = '' OR list = " LIST_ID ") LIMIT 1000)",
};
/* clang-format on */

struct database {
    char *path;
    bool read_only;
    bool was_written; /* so the file must stay in its place (SU-20) */
    struct stat file; /* the file that is, or was, open */
    sqlite3 *handle;  /* NULL: not open */
    sqlite3_stmt *statements[STATEMENT_COUNT];
};

static struct database *new_database(const char *where, bool read_only)
{
    struct database *db = memory_new(1, sizeof *db);
    db->path = memory_copy(where);
    db->read_only = read_only;
    return db;
}

static void close_database(struct database *db)
{
    for (int i = 0; i < STATEMENT_COUNT; i++) {
        sqlite3_finalize(db->statements[i]);
        db->statements[i] = NULL;
    }
    sqlite3_close(db->handle);
    db->handle = NULL;
}

static void free_database(struct database *db)
{
    close_database(db);
    free(db->path);
    free(db);
}

/* Sets *error to the error of SQLite. Always returns -1. */
static int fail(const struct database *db, struct store_error *error)
{
    int code = sqlite3_system_errno(db->handle);
    return store_fail(error, "%s: %s%s%s", db->path, sqlite3_errmsg(db->handle),
                      code != 0 ? ": " : "", code != 0 ? strerror(code) : "");
}

/* ---- statements ---- */

static void bind_parameters(sqlite3_stmt *statement, const struct query *query)
{
    int count = sqlite3_bind_parameter_count(statement);
    if (count >= 1)
        sqlite3_bind_text(statement, 1, query->list, -1, SQLITE_STATIC);
    if (count >= 3) {
        sqlite3_bind_blob(statement, 2, query->key, POST_KEY_OCTETS, SQLITE_STATIC);
        sqlite3_bind_blob(statement, 3, query->fingerprint, POST_FINGERPRINT_OCTETS, SQLITE_STATIC);
    }
    if (count >= 4 && query->number == 0)
        sqlite3_bind_null(statement, 4);
    else if (count >= 4)
        sqlite3_bind_int64(statement, 4, (sqlite3_int64)query->number);
    if (count >= 6) {
        sqlite3_bind_blob(statement, 5, query->first, POST_FINGERPRINT_OCTETS, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 6, query->time);
    }
}

static void read_row(sqlite3_stmt *statement, struct query *query)
{
    const void *found = sqlite3_column_blob(statement, 2);
    query->rows = 1;
    query->numbers[0] = (uint64_t)sqlite3_column_int64(statement, 0);
    query->numbers[1] = (uint64_t)sqlite3_column_int64(statement, 1);
    if (found != NULL && sqlite3_column_bytes(statement, 2) == POST_FINGERPRINT_OCTETS)
        memcpy(query->found, found, POST_FINGERPRINT_OCTETS);
}

/* Runs one query. Returns a code of SQLite. */
static int run_one(struct database *db, struct query *query)
{
    sqlite3_stmt **statement = &db->statements[query->statement];
    int code = SQLITE_OK;
    if (*statement == NULL)
        code = sqlite3_prepare_v3(db->handle, statements[query->statement], -1,
                                  SQLITE_PREPARE_PERSISTENT, statement, NULL);
    if (code != SQLITE_OK)
        return code;
    bind_parameters(*statement, query);
    code = sqlite3_step(*statement);
    if (code == SQLITE_ROW)
        read_row(*statement, query);
    else
        query->rows = sqlite3_column_count(*statement) > 0 ? 0 : sqlite3_changes(db->handle);
    return sqlite3_reset(*statement);
}

static int run(struct database *db, struct query *queries, size_t count, struct store_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (run_one(db, &queries[i]) != SQLITE_OK)
            return fail(db, error);
    return 0;
}

/* ---- opening ---- */

static int read_number(void *number, int columns, char **values, char **names)
{
    (void)columns, (void)names;
    *(int *)number = atoi(values[0]);
    return 0;
}

/* Checks the owner of the open file, and prepares a file that is written. Returns 0, 1 if it was
 * empty, or -1 with *error. */
static int set_up(struct database *db, struct store_error *error)
{
    int owner = 0;
    if (sqlite3_exec(db->handle, owner_sql, read_number, &owner, NULL) != SQLITE_OK)
        return fail(db, error);
    if (owner > 1)
        return store_fail(error, "%s: it is the database of another program or version", db->path);
    if (!db->read_only && sqlite3_exec(db->handle, set_up_sql, NULL, NULL, NULL) != SQLITE_OK)
        return fail(db, error);
    return owner;
}

/* Creates the file, with a mode that does not depend on the umask, unless it exists. Returns 0, or
 * -1 with *error. */
static int create_file(const struct database *db, struct store_error *error)
{
    int fd = open(db->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    if (fd < 0 && errno != EEXIST)
        return store_fail(error, "%s: it cannot be created: %s", db->path, strerror(errno));
    if (fd >= 0) {
        (void)fchmod(fd, 0640);
        close(fd);
    }
    return 0;
}

/* Opens the file by its path or a URI. Returns as set_up does. */
static int open_as(struct database *db, const char *name, int flags, struct store_error *error)
{
    flags |= SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    if (sqlite3_open_v2(name, &db->handle, flags, NULL) != SQLITE_OK)
        return fail(db, error);
    if (stat(db->path, &db->file) != 0)
        return store_fail(error, "%s: %s", db->path, strerror(errno));
    sqlite3_busy_timeout(db->handle, (int)timeouts.store_busy);
    return set_up(db, error);
}

/* Opens a file that is only read, in a directory where this user cannot create SQLite's other
 * files. Returns as open_as does. */
static int open_in_closed_directory(struct database *db, struct store_error *error)
{
    struct strbuf name = STRBUF_INIT;
    strbuf_addf(&name, "%s-wal", db->path);
    bool is_in_use = access(strbuf_str(&name), F_OK) == 0;
    strbuf_reset(&name);
    strbuf_add_str(&name, "file:");
    for (const char *p = db->path; *p != '\0'; p++)
        strbuf_addf(&name, strchr("%?#", *p) != NULL ? "%%%02X" : "%c", (unsigned char)*p);
    strbuf_add_str(&name, is_in_use ? "?readonly_shm=1" : "?immutable=1");
    close_database(db);
    int result = open_as(db, strbuf_str(&name), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
    strbuf_free(&name);
    return result;
}

/* Opens the file. Returns as open_as does. */
static int open_file(struct database *db, struct store_error *error)
{
    int flags = db->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    int result;
    if (!db->read_only && create_file(db, error) != 0)
        return -1;
    result = open_as(db, db->path, flags, error);
    int code = sqlite3_errcode(db->handle);
    if (result < 0 && db->read_only && (code == SQLITE_READONLY || code == SQLITE_CANTOPEN))
        result = open_in_closed_directory(db, error);
    db->was_written |= result >= 0 && !db->read_only;
    return result;
}

static enum opened open_database(struct database *db, struct store_error *error)
{
    struct stat now = {.st_size = 0};
    bool is_same;
    int result;
    if (stat(db->path, &now) != 0 && errno != ENOENT)
        return store_fail(error, "%s: %s", db->path, strerror(errno));
    is_same = now.st_size > 0 && now.st_ino == db->file.st_ino && now.st_dev == db->file.st_dev;
    if (db->was_written && !is_same)
        return store_fail(error,
                          "%s: the file was removed or replaced: stop every mlmilter, remove "
                          "%s-wal and -shm, put the file back, start",
                          db->path, db->path);
    if (db->handle != NULL && is_same)
        return OPENED;
    close_database(db);
    if (db->read_only && now.st_size == 0)
        return OPENED_EMPTY;
    result = open_file(db, error);
    if (result < 0 || (result > 0 && db->read_only))
        close_database(db);
    if (result <= 0)
        return result < 0 ? OPEN_FAILED : OPENED;
    return db->read_only ? OPENED_EMPTY : OPENED_NEW;
}

const struct driver driver_sqlite = {
    .create = new_database,
    .free = free_database,
    .open = open_database,
    .close = close_database,
    .run = run,
};
