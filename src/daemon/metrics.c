/* metrics - see metrics.h */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "daemon/metrics.h"

#include "daemon/log.h"
#include "system/paths.h"
#include "text/memory.h"
#include "text/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

/* clang-format off */
/* The upper ends of the store's histogram. */
static const struct {
    uint64_t nanoseconds;
    const char *le; /* in seconds, as a label */
} buckets[] = {
    {MS / 10, "0.0001"}, {MS, "0.001"}, {5 * MS / 2, "0.0025"}, {5 * MS, "0.005"},
    {10 * MS, "0.01"}, {25 * MS, "0.025"}, {50 * MS, "0.05"}, {100 * MS, "0.1"},
    {250 * MS, "0.25"}, {500 * MS, "0.5"}, {1000 * MS, "1"}, {2500 * MS, "2.5"},
    {5000 * MS, "5"}, {10000 * MS, "10"},
};
/* clang-format on */

#define BUCKETS (sizeof buckets / sizeof buckets[0])

static atomic_uint_least64_t counts[COUNTS];
static atomic_uint_least64_t store_buckets[BUCKETS + 1]; /* the last: all longer times */
static atomic_uint_least64_t store_nanoseconds;

/* Only the main thread reads and writes these. */
static struct {
    int64_t started, loaded; /* seconds since 1970 */
    unsigned generation;
    size_t lists, delegated_wrong;
    bool dry_run;
    char *path;     /* of the file; NULL: none */
    char *pid_file; /* the daemon's */
    bool written;   /* the file is ours */
    bool failing;   /* the last write failed, and that was logged */
} gauges;

/* Adds with release order, so that no reader sees more connections closed than opened. */
void metrics_count(enum count what, uint64_t n)
{
    atomic_fetch_add_explicit(&counts[what], n, memory_order_release);
}

void metrics_store_took(uint64_t nanoseconds)
{
    size_t i = 0;
    while (i < BUCKETS && nanoseconds > buckets[i].nanoseconds)
        i++;
    atomic_fetch_add_explicit(&store_buckets[i], 1, memory_order_release);
    atomic_fetch_add_explicit(&store_nanoseconds, nanoseconds, memory_order_release);
}

/* clang-format off */
/* Rows of one family are neighbours. */
static const struct {
    enum count count;
    const char *family;
    const char *labels;
    const char *help; /* with a family's first row */
} counters[] = {
    {COUNT_DISTRIBUTION, "messages_total", "{role=\"distribution\",action=\"accept\"}",
     "Messages that were answered, by role and by what was done. role=\"none\" is mail of no list of ours, "
     "role=\"unknown\" was not decided because of an error or a stop."},
    {COUNT_DISTRIBUTION + 1, "messages_total", "{role=\"distribution\",action=\"reject\"}", NULL},
    {COUNT_DISTRIBUTION + 2, "messages_total", "{role=\"distribution\",action=\"tempfail\"}", NULL},
    {COUNT_DISTRIBUTION + 3, "messages_total", "{role=\"distribution\",action=\"dry-run\"}", NULL},
    {COUNT_FEED, "messages_total", "{role=\"feed\",action=\"accept\"}", NULL},
    {COUNT_FEED + 1, "messages_total", "{role=\"feed\",action=\"reject\"}", NULL},
    {COUNT_FEED + 2, "messages_total", "{role=\"feed\",action=\"tempfail\"}", NULL},
    {COUNT_FEED + 3, "messages_total", "{role=\"feed\",action=\"dry-run\"}", NULL},
    {COUNT_NOT_OURS, "messages_total", "{role=\"none\",action=\"accept\"}", NULL},
    {COUNT_UNDECIDED_ACCEPT, "messages_total", "{role=\"unknown\",action=\"accept\"}", NULL},
    {COUNT_UNDECIDED_TEMPFAIL, "messages_total", "{role=\"unknown\",action=\"tempfail\"}", NULL},
    {COUNT_ACCEPTED_EARLY, "messages_accepted_early_total", "",
     "Messages of no list of ours that were accepted at DATA; their header never came."},
    {COUNT_RECIPIENT_DEFERRED, "recipients_deferred_total", "",
     "Recipients answered with 452: a second list in one transaction."},
    {COUNT_REFUSED_TOO_LARGE, "refusals_total", "{reason=\"too-large\"}",
     "Messages that were rejected or deferred, by reason."},
    {COUNT_REFUSED_STRAY_CR, "refusals_total", "{reason=\"stray-cr\"}", NULL},
    {COUNT_REFUSED_NO_MESSAGE_ID, "refusals_total", "{reason=\"no-message-id\"}", NULL},
    {COUNT_REFUSED_SEVERAL_MESSAGE_IDS, "refusals_total", "{reason=\"several-message-ids\"}", NULL},
    {COUNT_REFUSED_REUSED_MESSAGE_ID, "refusals_total", "{reason=\"reused-message-id\"}", NULL},
    {COUNT_REFUSED_STORE, "refusals_total", "{reason=\"store\"}", NULL},
    {COUNT_REFUSED_ERROR, "refusals_total", "{reason=\"error\"}", NULL},
    {COUNT_REFUSED_STOPPING, "refusals_total", "{reason=\"stopping\"}", NULL},
    {COUNT_ERROR_STORE, "errors_total", "{kind=\"store\"}", "Errors in the log, by kind."},
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

static void print_counters(struct strbuf *out)
{
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        if (counters[i].help != NULL)
            begin_family(out, counters[i].family, "counter", counters[i].help);
        strbuf_addf(out, "mlmilter_%s%s %" PRIu64 "\n", counters[i].family, counters[i].labels,
                    atomic_load(&counts[counters[i].count]));
    }
}

static void print_histogram(struct strbuf *out)
{
    uint64_t sum = atomic_load(&store_nanoseconds), count = 0;
    begin_family(out, "store_seconds", "histogram",
                 "How long messages waited for the store, where they asked it.");
    for (size_t i = 0; i < BUCKETS; i++) {
        count += atomic_load(&store_buckets[i]);
        strbuf_addf(out, "mlmilter_store_seconds_bucket{le=\"%s\"} %" PRIu64 "\n", buckets[i].le,
                    count);
    }
    count += atomic_load(&store_buckets[BUCKETS]);
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

static void print_gauges(struct strbuf *out, bool up)
{
    /* The closed ones first: a connection that is opened meanwhile must not make it negative. */
    uint64_t closed = atomic_load(&counts[COUNT_CONNECTION_CLOSED]);
    uint64_t opened = atomic_load(&counts[COUNT_CONNECTION_OPENED]);
    print_gauge(out, "connections", (int64_t)(opened - closed), "Open connections of MTAs.");
    print_gauge(out, "configuration_generation", gauges.generation,
                "How many configurations have been in force since the start.");
    print_gauge(out, "configuration_loaded_timestamp_seconds", gauges.loaded,
                "When the configuration in force was loaded, in seconds since 1970.");
    print_gauge(out, "lists", (int64_t)gauges.lists, "Lists in force.");
    print_gauge(out, "delegated_files_wrong", (int64_t)gauges.delegated_wrong,
                "Files of delegates with an error, and their folders that cannot be read.");
    print_gauge(out, "dry_run", gauges.dry_run, "1 while dry_run is on.");
    print_gauge(out, "start_time_seconds", gauges.started,
                "When the daemon started, in seconds since 1970.");
    print_gauge(out, "up", up, "1 while the daemon runs, 0 once it stopped.");
    begin_family(out, "build_info", "gauge", "The version, as a label.");
    strbuf_add_str(out, "mlmilter_build_info{version=\"" PACKAGE_VERSION "\"} 1\n");
}

/* True if two paths lead to one file. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_ino == second.st_ino &&
           first.st_dev == second.st_dev;
}

/* True if nothing is lost when the path is written over: it is free, an empty file, or a file of
 * ours, however it is spelled (RULINGS 107). Else errno is EEXIST. */
static bool may_replace(const char *path)
{
    static const char begin[] = "# HELP mlmilter_";
    char text[sizeof begin - 1];
    struct stat status;
    int fd = -1;
    errno = EEXIST;
    if (!is_same_file(path, gauges.pid_file)) /* close() would unlock it (fcntl(2)) */
        fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    ssize_t n =
        fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? read(fd, text, sizeof text) : -1;
    close(fd);
    errno = EEXIST;
    return n == 0 || (n == (ssize_t)sizeof text && memcmp(text, begin, sizeof text) == 0);
}

/* Changes the file, and deletes the old one, which would still be read. */
static void use_file(const char *path)
{
    if (path != NULL && gauges.path != NULL && strcmp(path, gauges.path) == 0)
        return;
    if (gauges.written && may_replace(gauges.path))
        (void)unlink(gauges.path);
    free(gauges.path);
    gauges.path = path != NULL ? memory_copy(path) : NULL;
    gauges.written = gauges.failing = false;
}

void metrics_use(const struct settings *settings, unsigned generation)
{
    gauges.loaded = (int64_t)time(NULL);
    if (gauges.started == 0)
        gauges.started = gauges.loaded;
    gauges.generation = generation;
    gauges.lists = settings->index.count;
    gauges.delegated_wrong = settings->delegated_wrong;
    gauges.dry_run = settings->dry_run;
    if (gauges.pid_file == NULL)
        gauges.pid_file = memory_copy(settings->pid_file);
    use_file(settings->metrics);
}

void metrics_write(bool up)
{
    struct strbuf text = STRBUF_INIT;
    int result = -1;
    if (gauges.path == NULL)
        return;
    print_counters(&text);
    print_histogram(&text);
    print_gauges(&text, up);
    if (may_replace(gauges.path))
        result = replace_file(gauges.path, strbuf_span(&text), 0644);
    if (result == 0 && gauges.failing)
        log_printf(LOG_INFO, "metrics: %s is written again", gauges.path);
    if (result != 0 && !gauges.failing)
        log_printf(LOG_ERR, "error: metrics: %s cannot be written: %s", gauges.path,
                   errno == EEXIST ? "it is a file with something else in it" : strerror(errno));
    if (result != 0)
        metrics_count(COUNT_ERROR_METRICS, 1);
    gauges.failing = result != 0;
    gauges.written |= result == 0;
    strbuf_free(&text);
}

void metrics_delegated_wrong(size_t files)
{
    gauges.delegated_wrong = files;
}
