/*
 * gaps - what libmilter lacks, and whether our stand-ins reach it
 *
 * libmilter has no call for five things that a daemon needs.  So this folder
 * defines functions of the C library a second time: the dynamic linker gives
 * libmilter the program's own, and so does the linker where libmilter is linked
 * statically.  That fails without a word where a symbol is hidden or left out of
 * the link.  So each function reports that libmilter has called it; at the start
 * and at the first packets the daemon asks here, and refuses what is unsafe.
 *
 * For the rest of the process each of these functions does what the C library's
 * does.
 */
#ifndef MLMILTER_LIBMILTER_GAPS_H
#define MLMILTER_LIBMILTER_GAPS_H

#include <stdbool.h>
#include <stddef.h>

/* For a function that libmilter must find in the program, however that is compiled and linked. */
#define FOR_LIBMILTER __attribute__((visibility("default")))

enum gap {
    GAP_STOP_SIGNALS,
    GAP_CONNECTIONS,
    GAP_PACKETS_IN,
    GAP_PACKETS_OUT,
    GAP_READ_AHEAD,
    GAPS
};

struct gap_facts {
    const char *function; /* of the C library, that we define */
    const char *version;  /* of libmilter, with which the symptom was measured */
    const char *symptom;  /* of libmilter alone */
    const char *report;   /* the section of doc/libmilter.md: what its authors are told */
    const char *lost;     /* without our function, for the log */
};
extern const struct gap_facts gap_facts[GAPS];

/* libmilter has called our function. Any thread; costs nothing from the second time on. */
void gap_called(enum gap gap);

/* Has it, so far? */
bool gap_is_met(enum gap gap);

/* To be asked when libmilter must have called it: the line for the log if it has not, once in the
 * life of the process for each gap. true: there is one. */
bool gap_complaint(enum gap gap, char *line, size_t size);

#endif
