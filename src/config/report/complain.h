/*
 * complain - how messages about keys and values look
 *
 *   file:line: key: "value" what is wrong (expected ...)
 */
#ifndef MLMILTER_CONFIG_REPORT_COMPLAIN_H
#define MLMILTER_CONFIG_REPORT_COMPLAIN_H

#include "config/report/diagnostics.h"
#include "config/syntax/schema.h"
#include "text/span.h"

/* A value as it is shown in a message: cut when it is long, as a C string. */
struct shown {
    char text[84];
};

/* Fills *shown and returns its text. */
const char *shown_text(struct span value, struct shown *shown);

/* An error about a key: "name: fault". */
void complain(struct diagnostics *d, const char *file, int line, struct span name,
              const char *fault);

/* An error about a name that is no key (or section) of this section. */
void complain_unknown(struct diagnostics *d, const char *file, int line, enum key_section section,
                      struct span key);

/* Where a value stands. */
struct place {
    const char *file;
    int line;
    struct span list; /* the list in which it turned out to be wrong, for a text of `defaults`; else
                         empty */
};

/* 'name: "value" fault', and the list if the place names one. */
void complain_value(struct diagnostics *d, enum severity severity, struct place place,
                    const char *name, struct span value, const char *fault);

/* An error about the title of a list, which list_id_fault refuses. */
void complain_list_id(struct diagnostics *d, struct place place, struct span title);

#endif
