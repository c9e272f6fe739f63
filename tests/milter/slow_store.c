/* slow_store - the SQLite driver of the tests' daemon: a file named slow-N takes N milliseconds to
 * open, and fails */
#define driver_sqlite real_driver_sqlite
#include "../../src/store/sqlite.c"
#undef driver_sqlite

#include "system/monotonic.h"

static enum opened open_slowly(struct database *db, struct store_error *error)
{
    const char *slow = strstr(db->path, "/slow-");
    if (slow == NULL)
        return open_database(db, error);
    monotonic_sleep((unsigned)strtoul(slow + strlen("/slow-"), NULL, 10));
    return store_fail(error, "slow: as asked");
}

extern const struct driver driver_sqlite;
const struct driver driver_sqlite = {
    .create = new_database,
    .free = free_database,
    .open = open_slowly,
    .close = close_database,
    .run = run,
};
