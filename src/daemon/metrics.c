/* metrics - see metrics.h */
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

/* The file; only the main thread uses these. */
static struct {
    int64_t started; /* seconds since 1970 */
    char *path;      /* NULL: none */
    char *pid_file;  /* the daemon's */
    bool written;    /* the file is ours */
    bool failing;    /* the last write failed, and that was logged */
} file;

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

static const struct {
    const char *family;
    const char *labels;
    const char *help;
} counters[] = {
#define COUNTER_ROW(number, family, labels, help) [number] = {family, labels, help},
    COUNTERS(COUNTER_ROW)};

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
                    atomic_load(&counts[i]));
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

static void print_gauges(struct strbuf *out, const struct snapshot *now, size_t delegated_wrong,
                         bool up)
{
    /* The closed ones first: a connection that is opened meanwhile must not make it negative. */
    uint64_t closed = atomic_load(&counts[COUNT_CONNECTION_CLOSED]);
    uint64_t opened = atomic_load(&counts[COUNT_CONNECTION_OPENED]);
    print_gauge(out, "connections", (int64_t)(opened - closed), "Open connections of MTAs.");
    print_gauge(out, "configuration_generation", now->generation,
                "How many configurations have been in force since the start.");
    print_gauge(out, "configuration_loaded_timestamp_seconds", now->published,
                "When the configuration in force was loaded, in seconds since 1970.");
    print_gauge(out, "lists", (int64_t)now->settings->index.count, "Lists in force.");
    print_gauge(out, "delegated_files_wrong", (int64_t)delegated_wrong,
                "Files of delegates with an error, and their folders that cannot be read.");
    print_gauge(out, "dry_run", now->settings->dry_run, "1 while dry_run is on.");
    print_gauge(out, "start_time_seconds", file.started,
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
    if (!is_same_file(path, file.pid_file)) /* close() would unlock it (fcntl(2)) */
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
    if (path != NULL && file.path != NULL && strcmp(path, file.path) == 0)
        return;
    if (file.written && may_replace(file.path))
        (void)unlink(file.path);
    free(file.path);
    file.path = path != NULL ? memory_copy(path) : NULL;
    file.written = file.failing = false;
}

void metrics_write(const struct snapshot *now, size_t delegated_wrong, bool up)
{
    struct strbuf text = STRBUF_INIT;
    int result = -1;
    if (file.started == 0) {
        file.started = now->published;
        file.pid_file = memory_copy(now->settings->pid_file);
    }
    use_file(now->settings->metrics);
    if (file.path == NULL)
        return;
    print_counters(&text);
    print_histogram(&text);
    print_gauges(&text, now, delegated_wrong, up);
    if (may_replace(file.path))
        result = replace_file(file.path, strbuf_span(&text), 0644);
    if (result == 0 && file.failing)
        log_printf(LOG_INFO, "metrics: %s is written again", file.path);
    if (result != 0 && !file.failing)
        log_printf(LOG_ERR, "error: metrics: %s cannot be written: %s", file.path,
                   errno == EEXIST ? "it is a file with something else in it" : strerror(errno));
    if (result != 0)
        metrics_count(COUNT_ERROR_METRICS, 1);
    file.failing = result != 0;
    file.written |= result == 0;
    strbuf_free(&text);
}
