/*
 * host - what the milter floor needs from the program that runs it (types only)
 *
 * The floor above gives these functions once, before libmilter starts; floor 6
 * never looks up.  Every function may be called from any thread at any time.
 */
#ifndef MLMILTER_MILTER_HOST_H
#define MLMILTER_MILTER_HOST_H

#include "config/settings.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

enum host_log { HOST_LOG_INFO, HOST_LOG_WARNING, HOST_LOG_ERROR };

/* Settings that are held until they are given back. */
struct held_settings {
    const struct settings *settings; /* NULL: the program is stopping, take no new message */
    struct store *store;             /* NULL: the settings need none, or it could not be made */
    void *handle;
};

/* What is counted. A message is one of the first group: it was answered, and this was done. */
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

    COUNT_ACCEPTED_EARLY, /* of those not ours: at DATA */
    COUNT_RECIPIENT_DEFERRED,
    COUNT_FIELDS_REMOVED,
    COUNT_FIELDS_ADDED,

    /* Why a message was rejected or deferred; each such message is one of these. */
    COUNT_REFUSED_TOO_LARGE,
    COUNT_REFUSED_NO_MESSAGE_ID,
    COUNT_REFUSED_SEVERAL_MESSAGE_IDS,
    COUNT_REFUSED_REUSED_MESSAGE_ID,
    COUNT_REFUSED_STORE,
    COUNT_REFUSED_ERROR,
    COUNT_REFUSED_STOPPING,

    COUNT_ERROR_STORE,
    COUNT_ERROR_EDITS,    /* could not be sent */
    COUNT_ERROR_PROTOCOL, /* an MTA that does not let us edit */
    COUNT_ERROR_POST,     /* undecided, or with a note that the operator should read */

    COUNT_STORE_FAILED,
    COUNT_CONNECTION_OPENED,
    COUNT_CONNECTION_CLOSED,
    HOST_COUNTS
};

struct milter_host {
    void *self; /* given back to each function */

    /* The settings of this moment; every hold ends with one release. */
    struct held_settings (*acquire)(void *self);
    void (*release)(void *self, struct held_settings held);

    /* Edits of one message are sent between these two, so that a stop cannot cut them in half.
     * false: the program is about to end, send none. */
    bool (*begin_edits)(void *self);
    void (*end_edits)(void *self);

    /* The answer to a message is sent between these two: the first before the message lets go of
     * its settings, the second behind the packet. false: the program is about to end, and waits for
     * no more of them. */
    bool (*begin_answer)(void *self);
    void (*end_answer)(void *self);

    /* One line, no line end. Octets that are not printable are made harmless there. */
    void (*log)(void *self, enum host_log level, const char *text);

    /* Seconds since 1970 UTC. */
    int64_t (*now)(void *self);

    /* Adds n to a count, and remembers how long a message's question to the store took. Neither
     * waits. */
    void (*count)(void *self, enum host_count what, uint64_t n);
    void (*store_took)(void *self, uint64_t nanoseconds);
};

#endif
