/*
 * report - what the tool says: results on standard output, trouble on standard error
 */
#ifndef MLMILTER_CTL_REPORT_H
#define MLMILTER_CTL_REPORT_H

#include "text/span.h"

#include <stdbool.h>

/* "mlmilterctl: ..." and a line end, on standard error. What is not visible (text/visible.h) is
 * "?": names of files, and arguments that come from a web page, may hold anything. */
void report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes all of it to standard output and waits until the system has it. 0, or EX_OSERR after a
 * message (a full disk, a reader that went away). */
int write_output(struct span text);

/* Writes one of many pieces: they are collected, and write_output comes at the end. */
int write_more(struct span text);

/* Did one of the two fail before? It was said then, unless it was for a signal that is caught. */
bool output_failed(void);

#endif
