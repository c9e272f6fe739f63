/* driver - the store in a file: one writer, one transaction for all posts that wait */
#include "store/sqlite/driver.h"

#include "store/sqlite/database.h"
#include "store/sqlite/place.h"
#include "text/memory.h"

#include <stdlib.h>
#include <string.h>

/* How many posts are forgotten in one transaction: some 10 ms. */
#define PRUNE_PART 1000

struct driver_connection {
    struct sqlite_db db;
    char *path;
};

/* A list within a transaction. */
struct list_row {
    struct span name;
    int64_t id;
    uint64_t last;
    bool changed;
};

static void connection_free(struct driver_connection *c)
{
    db_close(&c->db);
    free(c->path);
    free(c);
}

static struct driver_connection *connection_new(const char *rest, void *shared)
{
    struct driver_connection *c = memory_new(1, sizeof *c);
    (void)shared;
    c->path = memory_copy(rest);
    c->db.path = c->path;
    return c;
}

static int open_connection(struct driver_connection *c, struct store_error *error)
{
    if (db_check_place(&c->db, error) != 0)
        return -1;
    return c->db.handle != NULL ? 0 : db_open(&c->db, error);
}

/* Reads a list's row. 1: it is there; 0: it is not, and *row says so with zeros; -1. */
static int get_list(struct driver_connection *c, struct span name, struct list_row *row,
                    struct store_error *error)
{
    sqlite3_stmt *s = db_statement(&c->db, DB_LIST_GET, error);
    int found;
    memset(row, 0, sizeof *row);
    row->name = name;
    if (s == NULL)
        return -1;
    sqlite3_bind_text(s, 1, name.p, (int)name.n, SQLITE_STATIC);
    found = db_step(&c->db, s, error);
    if (found == 1) {
        row->id = sqlite3_column_int64(s, 0);
        row->last = (uint64_t)sqlite3_column_int64(s, 1);
        sqlite3_reset(s);
    }
    return found;
}

/* Reads a list's row, or makes it. 0 or -1. */
static int want_list(struct driver_connection *c, struct span name, struct list_row *row,
                     struct store_error *error)
{
    int found = get_list(c, name, row, error);
    sqlite3_stmt *s;
    if (found < 0)
        return -1;
    if (found == 1)
        return 0;
    s = db_statement(&c->db, DB_LIST_ADD, error);
    if (s == NULL)
        return -1;
    sqlite3_bind_text(s, 1, name.p, (int)name.n, SQLITE_STATIC);
    sqlite3_bind_int64(s, 2, (sqlite3_int64)row->last);
    if (db_step(&c->db, s, error) < 0)
        return -1;
    row->id = sqlite3_last_insert_rowid(c->db.handle);
    return 0;
}

/* Writes the counter if it was raised. */
static int put_list(struct driver_connection *c, struct list_row *row, struct store_error *error)
{
    sqlite3_stmt *s;
    if (!row->changed)
        return 0;
    row->changed = false;
    s = db_statement(&c->db, DB_LIST_SET, error);
    if (s == NULL)
        return -1;
    sqlite3_bind_int64(s, 1, row->id);
    sqlite3_bind_int64(s, 2, (sqlite3_int64)row->last);
    return db_step(&c->db, s, error) < 0 ? -1 : 0;
}

static void bind_post(sqlite3_stmt *s, int64_t list, const struct store_post *post)
{
    sqlite3_bind_int64(s, 1, list);
    sqlite3_bind_blob(s, 2, post->key, sizeof post->key, SQLITE_STATIC);
    sqlite3_bind_blob(s, 3, post->fingerprint, sizeof post->fingerprint, SQLITE_STATIC);
}

/* A column that holds a fingerprint; NULL and foreign values are none. */
static bool column_fingerprint(sqlite3_stmt *s, int column, unsigned char *fingerprint)
{
    const void *value = sqlite3_column_blob(s, column);
    if (value == NULL || sqlite3_column_bytes(s, column) != POST_FINGERPRINT_OCTETS)
        return false;
    memcpy(fingerprint, value, POST_FINGERPRINT_OCTETS);
    return true;
}

/* The answer of a post that is not there. */
static void begin_answer(struct store_item *item)
{
    memset(&item->answer, 0, sizeof item->answer);
    memcpy(item->answer.first_fingerprint, item->post.fingerprint, POST_FINGERPRINT_OCTETS);
}

/* The fingerprint of the first post with this message. 1, or 0: there is none; -1. */
static int get_first(struct driver_connection *c, int64_t list, const struct store_post *post,
                     unsigned char *first, struct store_error *error)
{
    sqlite3_stmt *s = db_statement(&c->db, DB_POST_ANY, error);
    int found;
    if (s == NULL)
        return -1;
    sqlite3_bind_int64(s, 1, list);
    sqlite3_bind_blob(s, 2, post->key, sizeof post->key, SQLITE_STATIC);
    found = db_step(&c->db, s, error);
    if (found == 1) {
        if (!column_fingerprint(s, 0, first))
            memcpy(first, post->fingerprint, POST_FINGERPRINT_OCTETS);
        sqlite3_reset(s);
    }
    return found;
}

/* Fills the answer of a post as far as it is there. 1: its row is; 0: it is not; -1. Of most posts
 * nothing is there, and one question tells. */
static int get_post(struct driver_connection *c, int64_t list, struct store_item *item,
                    struct store_error *error)
{
    struct store_answer *answer = &item->answer;
    unsigned char first[POST_FINGERPRINT_OCTETS];
    int found = get_first(c, list, &item->post, first, error);
    sqlite3_stmt *s;
    begin_answer(item);
    if (found <= 0)
        return found;
    s = db_statement(&c->db, DB_POST_GET, error);
    if (s == NULL)
        return -1;
    bind_post(s, list, &item->post);
    found = db_step(&c->db, s, error);
    if (found == 1) {
        answer->number = (uint64_t)sqlite3_column_int64(s, 0);
        answer->reused = column_fingerprint(s, 1, answer->first_fingerprint);
        sqlite3_reset(s);
    } else if (found == 0) {
        /* Not reused: the first one itself comes again, and was forgotten (store_prune). */
        answer->reused = memcmp(first, item->post.fingerprint, sizeof first) != 0;
        memcpy(answer->first_fingerprint, first, sizeof first);
    }
    return found;
}

/* Writes the row of a post, or its number. */
static int put_post(struct driver_connection *c, int64_t list, const struct store_item *item,
                    bool is_new, int64_t now, struct store_error *error)
{
    const struct store_answer *answer = &item->answer;
    sqlite3_stmt *s = db_statement(&c->db, is_new ? DB_POST_ADD : DB_POST_NUMBER, error);
    if (s == NULL)
        return -1;
    bind_post(s, list, &item->post);
    if (answer->number != 0)
        sqlite3_bind_int64(s, 4, (sqlite3_int64)answer->number);
    if (is_new) {
        if (answer->reused)
            sqlite3_bind_blob(s, 5, answer->first_fingerprint, POST_FINGERPRINT_OCTETS,
                              SQLITE_STATIC);
        sqlite3_bind_int64(s, 6, now);
    }
    return db_step(&c->db, s, error) < 0 ? -1 : 0;
}

static int assign_one(struct driver_connection *c, struct list_row *list, struct store_item *item,
                      int64_t now, struct store_error *error)
{
    int found = get_post(c, list->id, item, error);
    bool gets_number = item->post.numbered && item->answer.number == 0;
    if (found < 0)
        return -1;
    if (gets_number && list->last < item->floor) {
        store_fail_floor(&item->refused, list->name, list->last, item->floor);
        return 0;
    }
    if (gets_number && list->last >= POST_NUMBER_MAX) {
        store_fail_used_up(&item->refused, list->name);
        return 0;
    }
    if (gets_number) {
        item->answer.number = ++list->last;
        list->changed = true;
    }
    if (found == 1 && !gets_number)
        return 0;
    return put_post(c, list->id, item, found == 0, now, error);
}

static int assign_all(struct driver_connection *c, struct store_item **items, size_t count,
                      int64_t now, struct store_error *error)
{
    struct list_row list = {{NULL, 0}, 0, 0, false};
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++) {
        if (i == 0 || !span_eq(list.name, items[i]->post.list)) {
            result = put_list(c, &list, error);
            if (result == 0)
                result = want_list(c, items[i]->post.list, &list, error);
        }
        if (result == 0)
            result = assign_one(c, &list, items[i], now, error);
    }
    return result == 0 ? put_list(c, &list, error) : -1;
}

/* Ends the transaction. After a failure nothing is known of the connection: it is closed. */
static int finish(struct driver_connection *c, int result, struct store_error *error)
{
    if (result >= 0 && db_do(&c->db, DB_COMMIT, error) != 0)
        result = -1;
    if (result < 0) {
        sqlite3_exec(c->db.handle, "ROLLBACK", NULL, NULL, NULL);
        db_close(&c->db);
    }
    return result;
}

static int begin(struct driver_connection *c, struct store_error *error)
{
    if (db_do(&c->db, DB_BEGIN, error) == 0)
        return 0;
    db_close(&c->db);
    return -1;
}

static int assign(struct driver_connection *c, struct store_item **items, size_t count, int64_t now,
                  struct store_error *error)
{
    if (begin(c, error) != 0)
        return -1;
    return finish(c, assign_all(c, items, count, now, error), error);
}

/* Reads a list's row from a file that is only opened to read, unless it is open; it may not be
 * there at all. Returns as get_list. *opened: the caller closes it again. */
static int look_at_list(struct driver_connection *c, struct span name, struct list_row *row,
                        bool *opened, struct store_error *error)
{
    int result = 0;
    *opened = false;
    memset(row, 0, sizeof *row);
    if (db_check_place(&c->db, error) != 0)
        return -1;
    if (c->db.handle == NULL) {
        result = db_open_to_read(&c->db, error);
        *opened = result == 0;
    }
    if (result != 0)
        return result < 0 ? -1 : 0;
    return get_list(c, name, row, error);
}

static int look_up(struct driver_connection *c, struct store_item *item, struct store_error *error)
{
    struct store_answer *answer = &item->answer;
    struct list_row list;
    bool opened;
    int found = look_at_list(c, item->post.list, &list, &opened, error);
    begin_answer(item);
    if (found == 1)
        found = get_post(c, list.id, item, error);
    if (opened)
        db_close(&c->db);
    if (found < 0)
        return -1;
    answer->is_new = found == 0 || (item->post.numbered && answer->number == 0);
    if (item->post.numbered && answer->number == 0)
        answer->number = list.last + 1;
    return 0;
}

static int counter(struct driver_connection *c, struct span name, uint64_t *last,
                   struct store_error *error)
{
    struct list_row list;
    bool opened;
    int found = look_at_list(c, name, &list, &opened, error);
    if (opened)
        db_close(&c->db);
    *last = list.last;
    return found < 0 ? -1 : 0;
}

static int set_counter(struct driver_connection *c, struct span name, uint64_t last, uint64_t *now,
                       struct store_error *error)
{
    struct list_row list;
    int result;
    if (begin(c, error) != 0)
        return -1;
    result = want_list(c, name, &list, error);
    if (result == 0 && list.last > last) {
        result = 1;
    } else if (result == 0) {
        list.last = last;
        list.changed = true;
        result = put_list(c, &list, error);
    }
    *now = list.last;
    return finish(c, result, error);
}

static int prune(struct driver_connection *c, struct span list, int64_t older_than, uint64_t *count,
                 struct store_error *error)
{
    sqlite3_stmt *s = db_statement(&c->db, list.n > 0 ? DB_PRUNE_LIST : DB_PRUNE, error);
    int result = -1;
    if (s == NULL || begin(c, error) != 0)
        return -1;
    sqlite3_bind_int64(s, 1, older_than);
    sqlite3_bind_int64(s, 2, PRUNE_PART);
    if (list.n > 0)
        sqlite3_bind_text(s, 3, list.p, (int)list.n, SQLITE_STATIC);
    if (db_step(&c->db, s, error) == 0)
        result = 0;
    *count = (uint64_t)sqlite3_changes(c->db.handle);
    return finish(c, result, error);
}

const struct store_driver store_sqlite = {
    .connections = 1,
    .connection_new = connection_new,
    .connection_free = connection_free,
    .open = open_connection,
    .assign = assign,
    .look_up = look_up,
    .counter = counter,
    .set_counter = set_counter,
    .prune = prune,
};
