/* The text of the metrics (Prometheus's text-based format 0.0.4, mlmilter(8): METRICS) */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "check.h"

#include "daemon/written/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct metrics metrics;

static char *printed(void)
{
    struct strbuf out = STRBUF_INIT;

    metrics_print(&out, &metrics);
    assert_false(strbuf_failed(&out));
    return out.data;
}

/* Is there a line "mlmilter_" start " " value? */
static void check_sample(const char *sample)
{
    struct strbuf line = STRBUF_INIT;
    char *text = printed();

    strbuf_addf(&line, "\nmlmilter_%s\n", sample);
    if (strstr(text, strbuf_str(&line)) == NULL)
        fail_msg("no line mlmilter_%s in\n%s", sample, text);
    strbuf_free(&line);
    free(text);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *p = text; (p = strstr(p, part)) != NULL; p += strlen(part))
        count++;
    return count;
}

/* Each count has one sample of its own, but for the two that make a gauge. */
static void test_every_count(void **state)
{
    (void)state;
    for (unsigned i = 0; i < METRICS_COUNTS; i++) {
        size_t wanted = i == COUNT_CONNECTION_CLOSED ? 0 : i == COUNT_CONNECTION_OPENED ? 2 : 1;
        size_t negative = i == COUNT_CONNECTION_CLOSED ? 1 : 0;
        char *text;

        metrics_init(&metrics);
        metrics_count(&metrics, i, UINT64_C(12345678901234));
        text = printed();
        if (count_of(text, " 12345678901234\n") != wanted ||
            count_of(text, "-12345678901234\n") != negative)
            fail_msg("count %d in\n%s", i, text);
        free(text);
    }
}

static void test_counters(void **state)
{
    (void)state;
    metrics_init(&metrics);
    metrics_count(&metrics, COUNT_DISTRIBUTION_ACCEPT, 1);
    metrics_count(&metrics, COUNT_DISTRIBUTION_ACCEPT, 1);
    metrics_count(&metrics, COUNT_FEED_TEMPFAIL, 1);
    metrics_count(&metrics, COUNT_REFUSED_STORE, 1);
    metrics_count(&metrics, COUNT_FIELDS_REMOVED, UINT64_C(18446744073709551615));
    metrics_count(&metrics, COUNT_CONNECTION_OPENED, 7);
    metrics_count(&metrics, COUNT_CONNECTION_CLOSED, 4);
    check_sample("messages_total{role=\"distribution\",action=\"accept\"} 2");
    check_sample("messages_total{role=\"feed\",action=\"tempfail\"} 1");
    check_sample("messages_total{role=\"feed\",action=\"accept\"} 0");
    check_sample("refusals_total{reason=\"store\"} 1");
    check_sample("fields_removed_total 18446744073709551615");
    check_sample("connections_total 7");
    check_sample("connections 3");
    check_sample("build_info{version=\"" PACKAGE_VERSION "\"} 1");
}

/* A bucket's end belongs to it. */
static void test_buckets(void **state)
{
    (void)state;
    for (size_t i = 0; i < METRICS_BUCKETS; i++) {
        char line[100];

        assert_true(i == 0 || metrics_buckets[i - 1].nanoseconds < metrics_buckets[i].nanoseconds);
        assert_true(strtod(metrics_buckets[i].le, NULL) * 1e9 ==
                    (double)metrics_buckets[i].nanoseconds);
        metrics_init(&metrics);
        metrics_store_took(&metrics, metrics_buckets[i].nanoseconds);
        snprintf(line, sizeof line, "store_seconds_bucket{le=\"%s\"} 1", metrics_buckets[i].le);
        check_sample(line);
        metrics_init(&metrics);
        metrics_store_took(&metrics, metrics_buckets[i].nanoseconds + 1);
        snprintf(line, sizeof line, "store_seconds_bucket{le=\"%s\"} 0", metrics_buckets[i].le);
        check_sample(line);
        check_sample("store_seconds_bucket{le=\"+Inf\"} 1");
    }
}

static void test_histogram(void **state)
{
    (void)state;
    metrics_init(&metrics);
    check_sample("store_seconds_count 0");
    check_sample("store_seconds_sum 0.000000000");
    metrics_store_took(&metrics, 20000);
    metrics_store_took(&metrics, 3000000);
    metrics_store_took(&metrics, UINT64_C(10000000005));
    check_sample("store_seconds_bucket{le=\"0.0001\"} 1");
    check_sample("store_seconds_bucket{le=\"0.0025\"} 1");
    check_sample("store_seconds_bucket{le=\"0.005\"} 2");
    check_sample("store_seconds_bucket{le=\"10\"} 2");
    check_sample("store_seconds_bucket{le=\"+Inf\"} 3");
    check_sample("store_seconds_sum 10.003020005");
    check_sample("store_seconds_count 3");
}

static void test_gauges(void **state)
{
    static struct settings settings;

    (void)state;
    metrics_init(&metrics);
    settings.index.count = 100000;
    settings.delegated_wrong = 2;
    settings.dry_run = true;
    metrics_settings(&metrics, &settings, 3, INT64_C(4102444800));
    atomic_store(&metrics.started, INT64_C(1183535398));
    check_sample("lists 100000");
    check_sample("delegated_files_wrong 2");
    check_sample("dry_run 1");
    check_sample("configuration_generation 3");
    check_sample("configuration_loaded_timestamp_seconds 4102444800");
    check_sample("start_time_seconds 1183535398");
    check_sample("up 1");
    atomic_store(&metrics.up, false);
    check_sample("up 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_count), cmocka_unit_test(test_counters),
        cmocka_unit_test(test_buckets),     cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_gauges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
