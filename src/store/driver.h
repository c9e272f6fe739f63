/*
 * driver - what a database must do to be a store (types only); for the files of store/ only
 *
 * A connection belongs to one thread.  A driver opens it when it is needed and
 * again after it was lost; it keeps no answer between calls and does not wait
 * longer than its own time-outs: less than a caller does (queue.c), but where the
 * database stands still.  What all connections of a store
 * have in common is in its `shared` object, which locks itself: the posts of the
 * memory driver, what the PostgreSQL driver knows of the server.
 */
#ifndef MLMILTER_STORE_DRIVER_H
#define MLMILTER_STORE_DRIVER_H

#include "store/store.h"

#include <stddef.h>
#include <stdint.h>

/* One request of a transaction: post (the list in lower case) and floor in, answer out. */
struct store_item {
    struct store_post post;
    uint64_t floor; /* the last number of the list that this process was told */
    struct store_answer answer;
    struct store_error refused; /* "" on entry; assign: why this one alone has no answer */
};

struct driver_connection;

struct store_driver {
    unsigned connections; /* how many workers, each with a connection */

    /* What is wrong with the URL behind "SCHEME:", as store_url_fault says it; NULL: nothing. May
     * be NULL. */
    const char *(*url_fault)(struct span rest, char *room, size_t size);

    /* Returns a connection that is not open yet. Copies rest; shared is from shared_new. */
    struct driver_connection *(*connection_new)(const char *rest, void *shared);
    void (*connection_free)(struct driver_connection *c);

    /* For all connections of a store; both may be NULL. */
    void *(*shared_new)(const char *rest);
    void (*shared_free)(void *shared);

    /* All 0 or -1 with *error. */

    /* Opens the connection if it is not open, makes the tables. */
    int (*open)(struct driver_connection *c, struct store_error *error);

    /* Answers all items in one durable transaction, or none of them. Items come sorted by list, so
     * that two connections lock counters in the same order. `now` is seconds since 1970 UTC. Two
     * items may be about one post. Items whose list is at fault are refused by themselves, so that
     * one list does not stop the others: it has come to POST_NUMBER_MAX, its counter is below the
     * floor (store_fail_floor), or somebody else has locked it. */
    int (*assign)(struct driver_connection *c, struct store_item **items, size_t count, int64_t now,
                  struct store_error *error);

    /* One item, without writing anything or making anything. */
    int (*look_up)(struct driver_connection *c, struct store_item *item, struct store_error *error);

    /* As the functions of store.h; the list is in lower case. */
    int (*counter)(struct driver_connection *c, struct span list, uint64_t *last,
                   struct store_error *error);
    int (*set_counter)(struct driver_connection *c, struct span list, uint64_t last, uint64_t *now,
                       struct store_error *error); /* also 1 */
    /* Forgets posts first seen before older_than, as many as take well under a second; it is called
     * again until *count is 0. */
    int (*prune)(struct driver_connection *c, struct span list, int64_t older_than, uint64_t *count,
                 struct store_error *error);
};

#endif
