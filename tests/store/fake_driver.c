/* fake_driver - see fake_driver.h */
#include "fake_driver.h"

#include "text/memory.h"

#include <stdlib.h>
#include <string.h>

struct database {
    bool fails;
    uint64_t last;
};

struct fake_hooks fake_hooks;

static struct database *fake_new(const char *where, bool read_only)
{
    struct database *db = memory_new(1, sizeof *db);
    (void)read_only;
    db->fails = strcmp(where, "failing") == 0;
    return db;
}

static void fake_free(struct database *db)
{
    free(db);
    if (fake_hooks.free != NULL)
        fake_hooks.free();
}

static enum opened fake_open(struct database *db, struct store_error *error)
{
    if (fake_hooks.open != NULL && fake_hooks.open(error) != 0)
        return OPEN_FAILED;
    return db->fails ? store_fail(error, "failing: as asked") : OPENED;
}

static void fake_close(struct database *db)
{
    (void)db;
}

static int fake_run(struct database *db, struct query *queries, size_t count,
                    struct store_error *error)
{
    int result = fake_hooks.run != NULL ? fake_hooks.run(queries, count, error) : 0;
    if (result != 0)
        return result;
    for (size_t i = 0; i < count; i++) {
        if (queries[i].statement == STATEMENT_SET_LIST)
            db->last = queries[i].number;
        if (queries[i].statement == STATEMENT_GET_LIST ||
            queries[i].statement == STATEMENT_LOOK_LIST) {
            queries[i].rows = 1;
            queries[i].numbers[0] = db->last;
        }
    }
    return 0;
}

const struct driver fake_driver = {
    .create = fake_new,
    .free = fake_free,
    .open = fake_open,
    .close = fake_close,
    .run = fake_run,
};
