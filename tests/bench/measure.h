/*
 * measure - what a run of `load` found: rate, latencies, CPU and memory of the milter
 *
 * One thread; the functions end the program when a process to be measured is not
 * there or memory is out.
 */
#ifndef MLMILTER_TESTS_BENCH_MEASURE_H
#define MLMILTER_TESTS_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEASURE_PROCESSES 64

/* Made of zeros, but for the pids. */
struct measure {
    int pids[MEASURE_PROCESSES], pid_count; /* the milter's processes */
    uint64_t from, until;                   /* of measure_now; from is 0 before it begins */
    double cpu, own_cpu;                    /* seconds */
    uint32_t *latencies;                    /* microseconds */
    size_t done, room;
};

/* Nanoseconds of a clock that nobody sets. */
uint64_t measure_now(void);

void measure_begin(struct measure *m);
void measure_end(struct measure *m, uint64_t now);

/* A message of which the first octet left at `begun`, and that was answered now. */
void measure_add(struct measure *m, uint64_t begun, uint64_t now);

/* All in a line of JSON on standard output; at least one message was added. Frees the latencies. */
void measure_print(struct measure *m);

#endif
