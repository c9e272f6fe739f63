/*
 * fake_driver - a database for tests that counts, forgets each post, and may fail or hang
 *
 * All lists have one counter.  The text after the scheme is "" or "failing".
 */
#ifndef MLMILTER_TESTS_FAKE_DRIVER_H
#define MLMILTER_TESTS_FAKE_DRIVER_H

#include "store/database.h"

extern const struct driver fake_driver;

/* Called before each opening, before each exchange and at the end; NULL: nothing. */
extern struct fake_hooks {
    int (*open)(struct store_error *error);
    int (*run)(const struct query *queries, size_t count, struct store_error *error);
    void (*free)(void);
} fake_hooks;

#endif
