#include "measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t) != 0) {
        fprintf(stderr, "load: a clock: %s\n", strerror(errno));
        exit(1);
    }
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

uint64_t measure_now(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

static double own_cpu(void)
{
    return (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

/* Seconds of CPU that the milter's processes have taken so far, of threads that have ended, too. */
static double cpu_of(const struct measure *m)
{
    double sum = 0;
    for (int i = 0; i < m->pid_count; i++) {
        clockid_t clock;
        if (clock_getcpuclockid(m->pids[i], &clock) != 0) {
            fprintf(stderr, "load: process %d is not there\n", m->pids[i]);
            exit(1);
        }
        sum += (double)clock_ns(clock) / 1e9;
    }
    return sum;
}

/* KiB; 0 without /proc. */
static long rss_of(const struct measure *m)
{
    long sum = 0;
    for (int i = 0; i < m->pid_count; i++) {
        char name[64], line[128];
        long kib;
        FILE *file;
        snprintf(name, sizeof name, "/proc/%d/status", m->pids[i]);
        if ((file = fopen(name, "r")) == NULL)
            return 0;
        while (fgets(line, sizeof line, file) != NULL)
            if (sscanf(line, "VmRSS: %ld", &kib) == 1)
                sum += kib;
        fclose(file);
    }
    return sum;
}

void measure_begin(struct measure *m)
{
    m->own_cpu = own_cpu();
    m->cpu = cpu_of(m);
    m->from = measure_now();
}

void measure_end(struct measure *m, uint64_t now)
{
    m->until = now;
    m->cpu = cpu_of(m) - m->cpu;
    m->own_cpu = own_cpu() - m->own_cpu;
}

void measure_add(struct measure *m, uint64_t begun, uint64_t now)
{
    if (m->done == m->room) {
        m->room = m->room * 2 + 1024;
        m->latencies = realloc(m->latencies, m->room * sizeof *m->latencies);
        if (m->latencies == NULL) {
            fprintf(stderr, "load: out of memory\n");
            exit(1);
        }
    }
    m->latencies[m->done++] = (uint32_t)((now - begun) / 1000);
}

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void measure_print(struct measure *m)
{
    double seconds = (double)(m->until - m->from) / 1e9, n = (double)m->done;
    qsort(m->latencies, m->done, sizeof *m->latencies, by_size);
    printf(
        "{\"messages\": %zu, \"seconds\": %.4f, \"rate\": %.1f, \"cpu_us\": %.2f, "
        "\"own_cpu_us\": %.2f, \"p50_us\": %u, \"p99_us\": %u, \"max_us\": %u, \"rss_kib\": %ld}\n",
        m->done, seconds, n / seconds, m->cpu / n * 1e6, m->own_cpu / n * 1e6,
        m->latencies[m->done / 2], m->latencies[m->done * 99 / 100], m->latencies[m->done - 1],
        rss_of(m));
    free(m->latencies);
    m->latencies = NULL;
}
