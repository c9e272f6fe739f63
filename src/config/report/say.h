/*
 * say - how every message about a configuration looks
 *
 *   FILE:LINE: key: "value" what is wrong (expected ...)
 *
 * Put together here and nowhere else.
 */
#ifndef MLMILTER_CONFIG_REPORT_SAY_H
#define MLMILTER_CONFIG_REPORT_SAY_H

#include "config/report/diagnostics.h"
#include "text/span.h"

/* What a message is about. */
struct place {
    const char *file;
    int line;               /* from 1; 0: the file as a whole */
    struct span list;       /* the list in which something turned out to be wrong; empty: none */
    const char *key;        /* a key or section; NULL: none */
    const char *taken_from; /* where that list has it from; NULL: it stands there itself */
};

/* A place that is in no list. */
struct place place_of(const char *file, int line, const char *key);

/* Adds a message about the place and its value; a value whose p is NULL is not shown (NO_VALUE).
 * The format makes "what is wrong (expected ...)". */
void say(struct diagnostics *d, enum severity severity, struct place place, struct span value,
         const char *format, ...) __attribute__((format(printf, 5, 6)));

#define NO_VALUE span_of(NULL, 0)

/* A text as it is shown in a message: cut when it is long, as a C string. */
struct shown {
    char text[84];
};

/* Fills *shown and returns its text. */
const char *shown_text(struct span value, struct shown *shown);

#endif
