/*
 * output - results on standard output, errors on standard error, whole inputs
 *
 * One thread.
 */
#ifndef MLMILTER_CTL_OUTPUT_H
#define MLMILTER_CTL_OUTPUT_H

#include "ctl/options.h"
#include "text/strbuf.h"

#include <stdio.h>

/* Writes "mlmilterctl: ..." and a line end to standard error. A character that is not visible
 * (text/visible.h) becomes "?": names of files, and arguments from a web page, may hold any byte.
 */
void report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define USAGE "usage: mlmilterctl [-c FILE] COMMAND [ARGUMENT...]\n"

/* Reports a mistake on the command line after the usage of the command. Returns EX_USAGE. */
int usage_error(const struct options *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the text to standard output, waits until the system has it, and frees it. Returns status,
 * or EX_OSERR after a message (a full disk). */
int print_and_free(struct strbuf *text, int status);

/* Writes one of many pieces, which are collected; print_and_free comes at the end. Returns EX_OK,
 * or EX_OSERR after a message. */
int print_more(struct span text);

/* Writes lines of an explanation or a difference as print_and_free does; on a terminal that may
 * have colours each in the colour of its mark: "+" green, "-" red, "=" dim, "note:" yellow. */
int print_marked_and_free(struct strbuf *lines);

/* Appends s, between quotation marks as the configuration has them; bytes of a character that is
 * not visible become \xHH. */
void add_quoted(struct strbuf *out, struct span s);

/* Appends s without quotation marks, a backslash doubled and the rest as add_quoted does. */
void add_escaped(struct strbuf *out, struct span s);

/* Opens a file, or standard input if path is NULL or "-"; tells a person at a terminal that a
 * message is awaited. Sets *name for messages. Returns a descriptor, or -1 after a message. */
int open_input(const char *path, const char **name);

/* Appends a whole input. Returns EX_OK, or EX_OSERR after a message. */
int read_input(const char *path, struct strbuf *out);

#endif
