/*
 * scan - one pass over the bytes of a configuration file
 *
 * libConfuse (3.3) counts two lines for a comment, takes no comment between values, expands
 * "${NAME}" from the environment, drops bytes that it does not know, reports a missing quote lines
 * later, and does not miss the last "}".  The scan cures or refuses all that.  It knows quotes,
 * braces, comments and lines, but no keys.
 */
#ifndef MLMILTER_CONFIG_READ_SCAN_H
#define MLMILTER_CONFIG_READ_SCAN_H

#include "config/read/remarks.h"
#include "text/span.h"

#include <stdbool.h>
#include <stddef.h>

/* The word that the scan writes for KEY = {}: libConfuse calls back for words only. */
#define NO_VALUES '\001'

/* Bytes of a line. libConfuse reads a text in time that grows with the square of its length. */
#define LINE_BYTES_MAX 16384

/* A statement outside of all sections begins with this word. */
struct statement {
    struct span name; /* in the text */
    int line;
    unsigned text; /* the number of the text that it is in, from 0 */
};

/* Found in texts that follow each other, with a line end between them. */
struct scan {
    struct statement *statements; /* for the caller to free */
    size_t count, capacity;
    unsigned texts;                     /* scanned so far */
    int lines;                          /* of these texts */
    bool ends_early;                    /* a text ends inside of a statement */
    size_t open;                        /* the statement, from 1, whose "{" is not closed, or 0 */
    enum remark fault;                  /* where the scan ended early, or REMARK_NONE */
    struct span fault_key, fault_value; /* the key and the text that is wrong, or empty */
    int fault_line;
};

/* Scans the next text, which a line end or a NUL follows. Makes comments blank, and the "{}" of a
 * value NO_VALUES. After a fault, the rest is not scanned. */
void scan_text(struct scan *scan, char *text, size_t length);

#endif
