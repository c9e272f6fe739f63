/*
 * metrics - counters of the daemon, and the file in which they are read
 *
 * Counting never waits: each number is changed by itself.  The file has Prometheus's "text-based
 * format", version 0.0.4, and is replaced at once, without a flush.
 */
#ifndef MLMILTER_DAEMON_METRICS_H
#define MLMILTER_DAEMON_METRICS_H

#include "daemon/snapshot.h"

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
/* The counters: X(number, family, labels, help). Rows of one family are neighbours; its first row
 * has the help. A role's four rows are in the order of enum plan_action, then dry_run. */
#define COUNTERS(X)                                                                                \
    /* Each answered message counts once, by what was done. */                                     \
    X(COUNT_DISTRIBUTION, "messages_total", "{role=\"distribution\",action=\"accept\"}",            \
      "Messages that were answered, by role and by what was done. role=\"none\" is mail of no list of ours, " \
      "role=\"unknown\" was not decided because of an error or a stop.")                            \
    X(COUNT_DISTRIBUTION_REJECT, "messages_total", "{role=\"distribution\",action=\"reject\"}", NULL) \
    X(COUNT_DISTRIBUTION_TEMPFAIL, "messages_total", "{role=\"distribution\",action=\"tempfail\"}", NULL) \
    X(COUNT_DISTRIBUTION_DRY_RUN, "messages_total", "{role=\"distribution\",action=\"dry-run\"}", NULL) \
    X(COUNT_FEED, "messages_total", "{role=\"feed\",action=\"accept\"}", NULL)                      \
    X(COUNT_FEED_REJECT, "messages_total", "{role=\"feed\",action=\"reject\"}", NULL)               \
    X(COUNT_FEED_TEMPFAIL, "messages_total", "{role=\"feed\",action=\"tempfail\"}", NULL)           \
    X(COUNT_FEED_DRY_RUN, "messages_total", "{role=\"feed\",action=\"dry-run\"}", NULL)             \
    X(COUNT_NOT_OURS, "messages_total", "{role=\"none\",action=\"accept\"}", NULL)                  \
    X(COUNT_UNDECIDED_ACCEPT, "messages_total", "{role=\"unknown\",action=\"accept\"}", NULL)       \
    X(COUNT_UNDECIDED_TEMPFAIL, "messages_total", "{role=\"unknown\",action=\"tempfail\"}", NULL)   \
    X(COUNT_ACCEPTED_EARLY, "messages_accepted_early_total", "",                                   \
      "Messages of no list of ours that were accepted at DATA; their header never came.")          \
    X(COUNT_RECIPIENT_DEFERRED, "recipients_deferred_total", "",                                   \
      "Recipients answered with 452: a second list in one transaction.")                           \
    /* Each rejected or deferred message counts once, by its reason. */                            \
    X(COUNT_REFUSED_TOO_LARGE, "refusals_total", "{reason=\"too-large\"}",                         \
      "Messages that were rejected or deferred, by reason.")                                       \
    X(COUNT_REFUSED_STRAY_CR, "refusals_total", "{reason=\"stray-cr\"}", NULL)                     \
    X(COUNT_REFUSED_NO_MESSAGE_ID, "refusals_total", "{reason=\"no-message-id\"}", NULL)           \
    X(COUNT_REFUSED_SEVERAL_MESSAGE_IDS, "refusals_total", "{reason=\"several-message-ids\"}", NULL) \
    X(COUNT_REFUSED_REUSED_MESSAGE_ID, "refusals_total", "{reason=\"reused-message-id\"}", NULL)   \
    X(COUNT_REFUSED_STORE, "refusals_total", "{reason=\"store\"}", NULL)                           \
    X(COUNT_REFUSED_ERROR, "refusals_total", "{reason=\"error\"}", NULL)                           \
    X(COUNT_REFUSED_STOPPING, "refusals_total", "{reason=\"stopping\"}", NULL)                     \
    X(COUNT_ERROR_STORE, "errors_total", "{kind=\"store\"}", "Errors in the log, by kind.")        \
    X(COUNT_ERROR_EDITS, "errors_total", "{kind=\"edits\"}", NULL) /* libmilter does not take */   \
    X(COUNT_ERROR_PROTOCOL, "errors_total", "{kind=\"protocol\"}", NULL) /* a closed connection */ \
    X(COUNT_ERROR_POST, "errors_total", "{kind=\"post\"}", NULL) /* undecided, or with a note */   \
    X(COUNT_ERROR_METRICS, "errors_total", "{kind=\"metrics\"}", NULL) /* this file */             \
    X(COUNT_FIELDS_REMOVED, "fields_removed_total", "", "Header fields removed from messages.")    \
    X(COUNT_FIELDS_ADDED, "fields_added_total", "", "Header fields inserted into messages.")       \
    X(COUNT_STORE_FAILED, "store_failures_total", "", "Posts that the store did not answer for.")  \
    X(COUNT_RELOAD_FAILED, "configuration_reload_failures_total", "",                              \
      "Reloads that left the old configuration in force.")                                         \
    X(COUNT_CONNECTION_OPENED, "connections_total", "", "Connections of MTAs.")
/* clang-format on */

#define COUNTER_NUMBER(number, family, labels, help) number,
enum count {
    COUNTERS(COUNTER_NUMBER) COUNT_CONNECTION_CLOSED, /* shown as a gauge */
    COUNTS
};

/* Add n to a counter, and the time of a request to the store to its histogram. Any thread. */
void metrics_count(enum count what, uint64_t n);
void metrics_store_took(uint64_t nanoseconds);

/* Writes the file that the snapshot in force names, if any, and removes one that was written under
 * another name. delegated_wrong: of the last load. up: false at the end. Logs a failure once. Main
 * thread. */
void metrics_write(const struct snapshot *now, size_t delegated_wrong, bool up);

#endif
