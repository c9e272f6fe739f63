/*
 * metrics - counters of the daemon, and their text in Prometheus's format
 *
 * Counting never waits: each number is changed by itself, so a text may hold a
 * message in one of its numbers and not yet in another.
 */
#ifndef MLMILTER_DAEMON_WRITTEN_METRICS_H
#define MLMILTER_DAEMON_WRITTEN_METRICS_H

#include "milter/host.h"
#include "text/strbuf.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The upper ends of the store's histogram: from a post that is remembered, over group commits on
 * flash and on disks, to the moment after which nobody waits any longer (store/queue.h). */
#define METRICS_BUCKETS 14 /* and one for what took longer than all of them */
struct metrics_bucket {
    uint64_t nanoseconds;
    const char *le; /* the same in seconds, as a label */
};
extern const struct metrics_bucket metrics_buckets[METRICS_BUCKETS];

/* The counters after those of the milter (enum host_count). */
enum daemon_count {
    COUNT_ERROR_METRICS = HOST_COUNTS, /* the metrics file cannot be written */
    COUNT_RELOAD_FAILED,
    METRICS_COUNTS
};

struct metrics {
    atomic_uint_least64_t counts[METRICS_COUNTS];
    atomic_uint_least64_t store_buckets[METRICS_BUCKETS + 1];
    atomic_uint_least64_t store_nanoseconds;

    /* Gauges; set by the main thread. */
    atomic_int_least64_t started; /* seconds since 1970 */
    atomic_int_least64_t loaded;  /* the configuration, in seconds since 1970 */
    atomic_uint_least64_t generation;
    atomic_uint_least64_t lists;
    atomic_uint_least64_t delegated_wrong;
    atomic_bool dry_run;
    atomic_bool up;
};

void metrics_init(struct metrics *metrics);

/* Count, in any thread. what: an enum host_count or daemon_count. */
void metrics_count(struct metrics *metrics, unsigned what, uint64_t n);
void metrics_store_took(struct metrics *metrics, uint64_t nanoseconds);

/* Sets the gauges of settings that come into force. */
void metrics_settings(struct metrics *metrics, const struct settings *settings, unsigned generation,
                      int64_t now);

/* Appends the text (Prometheus's "text-based format", version 0.0.4). Any thread. */
void metrics_print(struct strbuf *out, struct metrics *metrics);

#endif
