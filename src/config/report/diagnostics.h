/*
 * diagnostics - what is wrong with a configuration, and where
 *
 * All errors of a run are collected, not only the first.  A hint is about
 * something that is legal but unwise.  The object owns its texts.  Not shared
 * between threads.
 */
#ifndef MLMILTER_CONFIG_REPORT_DIAGNOSTICS_H
#define MLMILTER_CONFIG_REPORT_DIAGNOSTICS_H

#include "text/arena.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* More errors than this are counted, not kept: one mistake in `defaults` can hit every list. */
#define DIAGNOSTICS_KEPT 200 /* of each severity */

enum severity {
    SEVERITY_ERROR,
    SEVERITY_HINT,
    SEVERITY_DELEGATED /* an error in a delegated file: it costs that file's lists only */
};

struct diagnostic {
    enum severity severity;
    const char *file;
    int line; /* from 1; 0: the file as a whole */
    const char *text;
    const char *delegate; /* whose files it is about; NULL: nobody's */
    size_t number;        /* for diagnostics_sort */
};

struct diagnostics {
    struct arena arena;
    struct diagnostic *items;
    size_t count;
    size_t capacity;
    size_t errors; /* all of them, those not kept included */
    size_t hints;
    size_t delegated;     /* how many SEVERITY_DELEGATED */
    const char *delegate; /* borrowed: whose files those that come are about; NULL: nobody's */
};

void diagnostics_init(struct diagnostics *d);
void diagnostics_free(struct diagnostics *d);

/* For say() only (config/report/say.h): counts one more; false: it need not be kept. */
bool diagnostics_has_room(struct diagnostics *d, enum severity severity);

/* For say() only: keeps one; texts are copied. */
void diagnostics_keep(struct diagnostics *d, enum severity severity, const char *file, int line,
                      struct span text);

/* Sorts all but the first `from` by the names of their files and by lines. Items of one line keep
 * their order. */
void diagnostics_sort(struct diagnostics *d, size_t from);

/* Is the whole configuration refused? What is wrong with delegated files does not count. */
bool diagnostics_has_errors(const struct diagnostics *d);

/* Appends "file:line: text" or "file:line: hint: text" for item i, no line end; what is
 * not visible in it (text/visible.h) is shown as "?". */
void diagnostics_format(const struct diagnostics *d, size_t i, struct strbuf *out);

#endif
