/*
 * The numbers behind the metrics, and their text: families in a fixed order, each with its help,
 * its type and its samples.  What has not happened yet is there with 0, so that a rate has a
 * beginning.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/written/metrics.h"

#include <inttypes.h>
#include <stddef.h>

#define MS UINT64_C(1000000)

/* clang-format off */
const struct metrics_bucket metrics_buckets[METRICS_BUCKETS] = {
    {MS / 10, "0.0001"}, {MS, "0.001"}, {5 * MS / 2, "0.0025"}, {5 * MS, "0.005"},
    {10 * MS, "0.01"}, {25 * MS, "0.025"}, {50 * MS, "0.05"}, {100 * MS, "0.1"},
    {250 * MS, "0.25"}, {500 * MS, "0.5"}, {1000 * MS, "1"}, {2500 * MS, "2.5"},
    {5000 * MS, "5"}, {10000 * MS, "10"},
};
/* clang-format on */

/* ---- counting ------------------------------------------------------------------------------- */

void metrics_init(struct metrics *metrics)
{
    for (size_t i = 0; i < METRICS_COUNTS; i++)
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

/* Release: a reader who sees that a connection was closed then also sees that it was opened. */
static void add(atomic_uint_least64_t *number, uint64_t n)
{
    atomic_fetch_add_explicit(number, n, memory_order_release);
}

void metrics_count(struct metrics *metrics, unsigned what, uint64_t n)
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

/* ---- the text ------------------------------------------------------------------------------- */

/* clang-format off */
/* Rows of one family stand together. */
static const struct {
    unsigned count;
    const char *family;
    const char *labels;
    const char *help; /* with a family's first row */
} counters[] = {
    {COUNT_DISTRIBUTION_ACCEPT, "messages_total", "{role=\"distribution\",action=\"accept\"}",
     "Messages that were answered, by role and by what was done. role=\"none\" is mail of no list of ours, "
     "role=\"unknown\" was not decided about because of an error or a stop."},
    {COUNT_DISTRIBUTION_REJECT, "messages_total", "{role=\"distribution\",action=\"reject\"}", NULL},
    {COUNT_DISTRIBUTION_TEMPFAIL, "messages_total", "{role=\"distribution\",action=\"tempfail\"}", NULL},
    {COUNT_DISTRIBUTION_DRY_RUN, "messages_total", "{role=\"distribution\",action=\"dry-run\"}", NULL},
    {COUNT_FEED_ACCEPT, "messages_total", "{role=\"feed\",action=\"accept\"}", NULL},
    {COUNT_FEED_REJECT, "messages_total", "{role=\"feed\",action=\"reject\"}", NULL},
    {COUNT_FEED_TEMPFAIL, "messages_total", "{role=\"feed\",action=\"tempfail\"}", NULL},
    {COUNT_FEED_DRY_RUN, "messages_total", "{role=\"feed\",action=\"dry-run\"}", NULL},
    {COUNT_NOT_OURS, "messages_total", "{role=\"none\",action=\"accept\"}", NULL},
    {COUNT_UNDECIDED_ACCEPT, "messages_total", "{role=\"unknown\",action=\"accept\"}", NULL},
    {COUNT_UNDECIDED_TEMPFAIL, "messages_total", "{role=\"unknown\",action=\"tempfail\"}", NULL},
    {COUNT_ACCEPTED_EARLY, "messages_accepted_early_total", "",
     "Messages of no list of ours that were accepted at DATA; their header never came."},
    {COUNT_RECIPIENT_DEFERRED, "recipients_deferred_total", "",
     "Recipients answered with 452: a second list in one transaction."},
    {COUNT_REFUSED_TOO_LARGE, "refusals_total", "{reason=\"too-large\"}",
     "Messages that were rejected or deferred, by reason."},
    {COUNT_REFUSED_NO_MESSAGE_ID, "refusals_total", "{reason=\"no-message-id\"}", NULL},
    {COUNT_REFUSED_SEVERAL_MESSAGE_IDS, "refusals_total", "{reason=\"several-message-ids\"}", NULL},
    {COUNT_REFUSED_REUSED_MESSAGE_ID, "refusals_total", "{reason=\"reused-message-id\"}", NULL},
    {COUNT_REFUSED_STORE, "refusals_total", "{reason=\"store\"}", NULL},
    {COUNT_REFUSED_ERROR, "refusals_total", "{reason=\"error\"}", NULL},
    {COUNT_REFUSED_STOPPING, "refusals_total", "{reason=\"stopping\"}", NULL},
    {COUNT_ERROR_STORE, "errors_total", "{kind=\"store\"}",
     "Errors that the log tells of, by kind."},
    {COUNT_ERROR_EDITS, "errors_total", "{kind=\"edits\"}", NULL},
    {COUNT_ERROR_PROTOCOL, "errors_total", "{kind=\"protocol\"}", NULL},
    {COUNT_ERROR_POST, "errors_total", "{kind=\"post\"}", NULL},
    {COUNT_ERROR_METRICS, "errors_total", "{kind=\"metrics\"}", NULL},
    {COUNT_FIELDS_REMOVED, "fields_removed_total", "", "Header fields removed from messages."},
    {COUNT_FIELDS_ADDED, "fields_added_total", "", "Header fields inserted into messages."},
    {COUNT_STORE_FAILED, "store_failures_total", "", "Posts that the store did not answer for."},
    {COUNT_RELOAD_FAILED, "configuration_reload_failures_total", "",
     "Reloads that left the old configuration in force."},
    {COUNT_CONNECTION_OPENED, "connections_total", "", "Connections of MTAs."},
};
/* clang-format on */

static void begin_family(struct strbuf *out, const char *family, const char *type, const char *help)
{
    strbuf_addf(out, "# HELP mlmilter_%s %s\n# TYPE mlmilter_%s %s\n", family, help, family, type);
}

static uint64_t value_of(atomic_uint_least64_t *number)
{
    return atomic_load_explicit(number, memory_order_relaxed);
}

static void print_counters(struct strbuf *out, struct metrics *metrics)
{
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        if (counters[i].help != NULL)
            begin_family(out, counters[i].family, "counter", counters[i].help);
        strbuf_addf(out, "mlmilter_%s%s %" PRIu64 "\n", counters[i].family, counters[i].labels,
                    value_of(&metrics->counts[counters[i].count]));
    }
}

static void print_histogram(struct strbuf *out, struct metrics *metrics)
{
    uint64_t sum = value_of(&metrics->store_nanoseconds);
    uint64_t count = 0;
    begin_family(out, "store_seconds", "histogram",
                 "How long messages waited for the store, where they asked it.");
    for (size_t i = 0; i < METRICS_BUCKETS; i++) {
        count += value_of(&metrics->store_buckets[i]);
        strbuf_addf(out, "mlmilter_store_seconds_bucket{le=\"%s\"} %" PRIu64 "\n",
                    metrics_buckets[i].le, count);
    }
    count += value_of(&metrics->store_buckets[METRICS_BUCKETS]);
    strbuf_addf(out, "mlmilter_store_seconds_bucket{le=\"+Inf\"} %" PRIu64 "\n", count);
    strbuf_addf(out, "mlmilter_store_seconds_sum %" PRIu64 ".%09" PRIu64 "\n", sum / (1000 * MS),
                sum % (1000 * MS));
    strbuf_addf(out, "mlmilter_store_seconds_count %" PRIu64 "\n", count);
}

static void print_gauge(struct strbuf *out, const char *family, int64_t value, const char *help)
{
    begin_family(out, family, "gauge", help);
    strbuf_addf(out, "mlmilter_%s %" PRId64 "\n", family, value);
}

/* Those that were closed first: what is opened meanwhile must not make it negative. */
static int64_t open_connections(struct metrics *metrics)
{
    uint64_t closed = atomic_load(&metrics->counts[COUNT_CONNECTION_CLOSED]);
    return (int64_t)(atomic_load(&metrics->counts[COUNT_CONNECTION_OPENED]) - closed);
}

static void print_gauges(struct strbuf *out, struct metrics *metrics)
{
    print_gauge(out, "connections", open_connections(metrics), "Open connections of MTAs.");
    print_gauge(out, "configuration_generation", (int64_t)value_of(&metrics->generation),
                "How many configurations have been in force since the start.");
    print_gauge(out, "configuration_loaded_timestamp_seconds", atomic_load(&metrics->loaded),
                "When the configuration in force was loaded, in seconds since 1970.");
    print_gauge(out, "lists", (int64_t)value_of(&metrics->lists), "Lists in force.");
    print_gauge(out, "delegated_files_wrong", (int64_t)value_of(&metrics->delegated_wrong),
                "Files of delegates with an error, and their folders that cannot be read.");
    print_gauge(out, "dry_run", atomic_load(&metrics->dry_run), "1 while dry_run is on.");
    print_gauge(out, "start_time_seconds", atomic_load(&metrics->started),
                "When the daemon started, in seconds since 1970.");
    print_gauge(out, "up", atomic_load(&metrics->up),
                "1 while the daemon runs, 0 once it stopped.");
    begin_family(out, "build_info", "gauge", "The version, as a label.");
    strbuf_add_str(out, "mlmilter_build_info{version=\"" PACKAGE_VERSION "\"} 1\n");
}

void metrics_print(struct strbuf *out, struct metrics *metrics)
{
    print_counters(out, metrics);
    print_histogram(out, metrics);
    print_gauges(out, metrics);
}
