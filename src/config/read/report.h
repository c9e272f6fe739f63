/*
 * report - errors and hints about a configuration
 *
 *   FILE:LINE: key: "value" is wrong (expected ...)
 *
 * All errors of a run are collected.  A hint is about something that is legal, but almost always a
 * mistake (RULINGS 84).  One thread at a time.
 */
#ifndef MLMILTER_CONFIG_READ_REPORT_H
#define MLMILTER_CONFIG_READ_REPORT_H

#include "config/read/remarks.h"
#include "text/arena.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* More errors are counted, not kept: one mistake can be in every list. */
#define DIAGNOSTICS_KEPT 200 /* errors of each severity */

enum severity {
    SEVERITY_ERROR,
    SEVERITY_HINT,
    SEVERITY_DELEGATED /* an error in a delegated file: it costs that file's lists only */
};

struct diagnostic {
    enum severity severity;
    enum remark remark;
    const char *file;
    int line;        /* from 1; 0: the file as a whole */
    const char *key; /* or section, or NULL */
    const char *text;
    const char *delegate; /* owner of the file, or NULL */
    size_t number, last;  /* private */
};

/* So many of each hint about lists are reported, and then the number of all others. */
#define HINTS_KEPT 5

struct diagnostics {
    struct arena arena; /* of the texts */
    struct diagnostic *items;
    size_t count, capacity;
    size_t errors, hints, delegated; /* of each severity, also those that are not kept */
    const char *delegate;            /* for the next messages; borrowed */
    bool with_hints;                 /* false: hints are not kept */
    size_t said[REMARK_COUNT];       /* private */
};

void diagnostics_init(struct diagnostics *d);
void diagnostics_free(struct diagnostics *d);

/* The place of a message. */
struct place {
    const char *file;
    int line;               /* from 1; 0: the file as a whole */
    const char *key;        /* a key or section, or NULL */
    struct span list;       /* the list that has the value, or empty */
    const char *taken_from; /* where that list has it from, or NULL: it is in the list itself */
    struct span other;      /* another list that the message is about, or empty */
};

struct place place_of(const char *file, int line, const char *key);

/* Adds a message about a place and its value; NO_TEXT is not shown. A value of defaults or of a
 * manager has one hint, whatever the number of its lists. `with` has the texts for each
 * "$1", "$2" ... of the message; NULL: there is none. */
void say(struct diagnostics *d, enum severity severity, struct place place, struct span value,
         enum remark remark, const char *const *with);

#define NO_TEXT   span_of(NULL, 0)
#define WITH(...) ((const char *const[]){__VA_ARGS__})

/* Adds an error of another run about a delegated file, and its outcome. */
void say_again(struct diagnostics *d, const struct diagnostic *first, const char *outcome);

/* Adds the numbers of hints that were not kept, and sorts all messages by file and line. */
void diagnostics_finish(struct diagnostics *d);

/* Appends message i as one line without its end. Invisible characters in it are shown as "?". */
void diagnostics_format(const struct diagnostics *d, size_t i, struct strbuf *out);

/* A text as it is shown in a message, cut if it is long. */
struct shown {
    char text[84];
};

/* Fills *shown and returns its text. */
const char *shown_text(struct span value, struct shown *shown);
const char *shown_number(size_t number, struct shown *shown);

/* A remark whose "$1", "$2" ..., if it has one, is the detail. */
struct fault {
    enum remark remark;
    const char *detail;
};

#endif
