/*
 * report - results on standard output, errors on standard error
 */
#ifndef MLMILTER_CTL_REPORT_H
#define MLMILTER_CTL_REPORT_H

#include "text/strbuf.h"

#include <stdbool.h>

/* Writes "mlmilterctl: ..." and a line end to standard error. A character that is not visible
 * (text/visible.h) becomes "?": names of files, and arguments from a web page, may hold any byte.
 */
void report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes the text to standard output and waits until the system has it. Returns EX_OK, or EX_OSERR
 * after a message (a full disk, a reader that went away). */
int write_output(struct span text);

/* Writes the text as write_output does, and frees it. Returns as write_output. */
int write_and_free(struct strbuf *text);

/* Writes one of many pieces, which are collected; write_output comes at the end. Returns as
 * write_output. */
int write_more(struct span text);

/* True after a failed write. It was reported, unless a caught signal was the reason. */
bool output_failed(void);

#endif
