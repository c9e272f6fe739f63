/*
 * host - functions of the daemon that the milter calls (types only)
 *
 * The daemon sets them once, before libmilter starts.  Any thread.
 */
#ifndef MLMILTER_MILTER_HOST_H
#define MLMILTER_MILTER_HOST_H

#include "config/settings.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

enum host_log { HOST_LOG_INFO, HOST_LOG_WARNING, HOST_LOG_ERROR };

/* Settings that are held until they are released. */
struct held_settings {
    const struct settings *settings; /* NULL: the program is stopping; take no new message */
    struct store *store;             /* NULL: not needed, or could not be created */
    void *handle;
};

/* The counters. Each answered message counts once in the first group, by what was done. */
enum host_count {
    COUNT_DISTRIBUTION_ACCEPT,
    COUNT_DISTRIBUTION_REJECT,
    COUNT_DISTRIBUTION_TEMPFAIL,
    COUNT_DISTRIBUTION_DRY_RUN,
    COUNT_FEED_ACCEPT,
    COUNT_FEED_REJECT,
    COUNT_FEED_TEMPFAIL,
    COUNT_FEED_DRY_RUN,
    COUNT_NOT_OURS,
    COUNT_UNDECIDED_ACCEPT,
    COUNT_UNDECIDED_TEMPFAIL,

    COUNT_ACCEPTED_EARLY, /* messages of no list, accepted at DATA */
    COUNT_RECIPIENT_DEFERRED,
    COUNT_FIELDS_REMOVED,
    COUNT_FIELDS_ADDED,

    /* Each rejected or deferred message counts once, by its reason. */
    COUNT_REFUSED_TOO_LARGE,
    COUNT_REFUSED_NO_MESSAGE_ID,
    COUNT_REFUSED_SEVERAL_MESSAGE_IDS,
    COUNT_REFUSED_REUSED_MESSAGE_ID,
    COUNT_REFUSED_STORE,
    COUNT_REFUSED_ERROR,
    COUNT_REFUSED_STOPPING,

    COUNT_ERROR_STORE,
    COUNT_ERROR_EDITS,    /* edits that could not be sent */
    COUNT_ERROR_PROTOCOL, /* an MTA without edits, or a wrong packet */
    COUNT_ERROR_POST,     /* undecided, or with a note that the operator should read */

    COUNT_STORE_FAILED,
    COUNT_CONNECTION_OPENED,
    COUNT_CONNECTION_CLOSED,
    HOST_COUNTS
};

struct milter_host {
    void *self; /* first argument of each function */

    /* Holds the settings in force until they are released. */
    struct held_settings (*acquire)(void *self);
    void (*release)(void *self, struct held_settings held);

    /* Bracket the edits of one message, so that a stop cannot divide them. False: the program is
     * about to end; send none. */
    bool (*begin_edits)(void *self);
    void (*end_edits)(void *self);

    /* Bracket the answer to a message: the first before its settings are released, the second after
     * the packet was sent. False: the program is about to end and waits for no more answers. */
    bool (*begin_answer)(void *self);
    void (*end_answer)(void *self);

    /* Logs one line without line end; bytes that are not printable become "?". */
    void (*log)(void *self, enum host_log level, const char *text);

    /* Returns the seconds since 1970 UTC. */
    int64_t (*now)(void *self);

    /* Add n to a counter, and the time of a request to the store to its histogram. Never wait. */
    void (*count)(void *self, enum host_count what, uint64_t n);
    void (*store_took)(void *self, uint64_t nanoseconds);
};

#endif
