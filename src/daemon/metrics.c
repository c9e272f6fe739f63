/* The numbers behind the metrics. */
#include "daemon/metrics.h"

#include <stddef.h>

void metrics_init(struct metrics *metrics)
{
    for (size_t i = 0; i < HOST_COUNTS; i++)
        atomic_init(&metrics->counts[i], 0);
    for (size_t i = 0; i <= METRICS_BUCKETS; i++)
        atomic_init(&metrics->store_buckets[i], 0);
    atomic_init(&metrics->store_nanoseconds, 0);
    atomic_init(&metrics->started, 0);
    atomic_init(&metrics->loaded, 0);
    atomic_init(&metrics->generation, 0);
    atomic_init(&metrics->lists, 0);
    atomic_init(&metrics->delegated_wrong, 0);
    atomic_init(&metrics->dry_run, false);
    atomic_init(&metrics->up, true);
}

/* Release: whoever reads that a connection was closed then also reads that it was opened. */
static void add(atomic_uint_least64_t *number, uint64_t n)
{
    atomic_fetch_add_explicit(number, n, memory_order_release);
}

void metrics_count(struct metrics *metrics, enum host_count what, uint64_t n)
{
    add(&metrics->counts[what], n);
}

void metrics_store_took(struct metrics *metrics, uint64_t nanoseconds)
{
    size_t i = 0;

    while (i < METRICS_BUCKETS && nanoseconds > metrics_buckets[i].nanoseconds)
        i++;
    add(&metrics->store_buckets[i], 1);
    add(&metrics->store_nanoseconds, nanoseconds);
}

void metrics_settings(struct metrics *metrics, const struct settings *settings, unsigned generation,
                      int64_t now)
{
    atomic_store(&metrics->loaded, now);
    atomic_store(&metrics->generation, generation);
    atomic_store(&metrics->lists, settings->index.count);
    atomic_store(&metrics->delegated_wrong, settings->delegated_wrong);
    atomic_store(&metrics->dry_run, settings->dry_run);
}
