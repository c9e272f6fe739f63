/*
 * delegate_report - what is said about the files of one delegate
 *
 * So many errors of a file, and of all files of a delegate, so that one owner cannot hide
 * another's; the others are counted.
 */
#ifndef MLMILTER_CONFIG_DELEGATION_DELEGATE_REPORT_H
#define MLMILTER_CONFIG_DELEGATION_DELEGATE_REPORT_H

#include "config/delegation/delegate.h"
#include "config/report/diagnostics.h"

#include <stddef.h>

#define DELEGATE_FILE_ERRORS_TOLD 5
#define DELEGATE_ERRORS_TOLD      25

struct delegate_report {
    struct diagnostics *diagnostics; /* borrowed */
    size_t wrong;                    /* files, and folders that could not be looked into */
    size_t told;                     /* errors */
    size_t untold;                   /* files whose errors were too many */
};

/* Something is wrong with a file or folder as a whole. outcome: what that means for its lists. */
void delegate_report_fault(struct delegate_report *r, const char *path, const char *fault,
                           const char *outcome);

/* The same of one that cannot be read. */
void delegate_report_unreadable(struct delegate_report *r, const char *path, const char *fault,
                                const char *outcome);

/* The errors found in a file. */
void delegate_report_errors(struct delegate_report *r, const char *path,
                            const struct diagnostics *errors, const char *outcome);

/* How many files were not spoken of, if any. */
void delegate_report_end(const struct delegate_report *r, const struct delegate *delegate);

#endif
