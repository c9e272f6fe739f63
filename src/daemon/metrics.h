/*
 * metrics - counters of the daemon, and the file in which they are read
 *
 * Counting never waits: each number is changed by itself.  The file has Prometheus's "text-based
 * format", version 0.0.4, and is replaced at once, without a flush.
 */
#ifndef MLMILTER_DAEMON_METRICS_H
#define MLMILTER_DAEMON_METRICS_H

#include "config/settings.h"

#include <stdbool.h>
#include <stdint.h>

/* The counters. Each answered message counts once in the first group, by what was done. */
enum count {
    COUNT_DISTRIBUTION, /* here and for a feed: enum plan_action is added; the fourth is dry_run */
    COUNT_FEED = COUNT_DISTRIBUTION + 4,
    COUNT_NOT_OURS = COUNT_FEED + 4,
    COUNT_UNDECIDED_ACCEPT,
    COUNT_UNDECIDED_TEMPFAIL,

    COUNT_ACCEPTED_EARLY, /* messages of no list, accepted at DATA */
    COUNT_RECIPIENT_DEFERRED,
    COUNT_FIELDS_REMOVED,
    COUNT_FIELDS_ADDED,

    /* Each rejected or deferred message counts once, by its reason. */
    COUNT_REFUSED_TOO_LARGE,
    COUNT_REFUSED_STRAY_CR,
    COUNT_REFUSED_NO_MESSAGE_ID,
    COUNT_REFUSED_SEVERAL_MESSAGE_IDS,
    COUNT_REFUSED_REUSED_MESSAGE_ID,
    COUNT_REFUSED_STORE,
    COUNT_REFUSED_ERROR,
    COUNT_REFUSED_STOPPING,

    COUNT_ERROR_STORE,
    COUNT_ERROR_EDITS,    /* edits that libmilter does not take */
    COUNT_ERROR_PROTOCOL, /* a connection that mlmilter closes */
    COUNT_ERROR_METRICS,  /* the file of metrics cannot be written */
    COUNT_ERROR_POST,     /* undecided, or with a note that the operator should read */

    COUNT_STORE_FAILED,
    COUNT_RELOAD_FAILED,
    COUNT_CONNECTION_OPENED,
    COUNT_CONNECTION_CLOSED,
    COUNTS
};

/* Add n to a counter, and the time of a request to the store to its histogram. Any thread. */
void metrics_count(enum count what, uint64_t n);
void metrics_store_took(uint64_t nanoseconds);

/* Sets the gauges of settings that come into force, and the file that they name. Removes a file
 * that was written under another name. Main thread, as the functions below. */
void metrics_use(const struct settings *settings, unsigned generation);

/* Sets one gauge, after a reload that changed nothing else. */
void metrics_delegated_wrong(size_t files);

/* Writes the file, if there is one. Logs a failure once. up: false at the end. */
void metrics_write(bool up);

#endif
