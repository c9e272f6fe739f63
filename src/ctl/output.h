/*
 * output - results on standard output, errors and progress on standard error, whole inputs
 *
 * One thread.
 */
#ifndef MLMILTER_CTL_OUTPUT_H
#define MLMILTER_CTL_OUTPUT_H

#include "ctl/options.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes "mlmilterctl: ..." and a line end to standard error. A character that is not visible
 * (text/visible.h) becomes "?": file names and arguments from a web page may have any byte. */
void report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define USAGE "usage: mlmilterctl [-c FILE] COMMAND [ARGUMENT...]\n"

/* Reports a mistake on the command line after the usage of the command. Returns EX_USAGE. */
int usage_error(const struct options *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the text to standard output, waits until the system has it, and frees it. Returns status,
 * or EX_OSERR after a message, for example if the disk is full. */
int print_and_free(struct strbuf *text, int status);

/* Writes one of many texts to a buffer, which print_and_free writes at the end. Returns EX_OK, or
 * EX_OSERR after a message. */
int print_more(struct span text);

/* Writes an explanation or a difference as print_and_free does, on a terminal with colours: each
 * line in the colour of its mark. */
int print_marked_and_free(struct strbuf *lines);

/* True if a line of progress may be shown: 250 ms after the last one, and on a terminal. */
bool progress_is_due(void);

/* Shows a line of progress on standard error, until another one, an error, or a result on a
 * terminal follows. */
void show_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void hide_progress(void);

/* Appends s in quotation marks, as the configuration has it. Bytes of an invisible character become
 * \xHH. */
void add_quoted(struct strbuf *out, struct span s);

/* Appends s without quotation marks: "\" becomes "\\", bytes of an invisible character \xHH. */
void add_escaped(struct strbuf *out, struct span s);

/* Opens a file, or standard input if path is NULL or "-"; a terminal gets a message that input is
 * awaited. Sets *name for messages. Returns a descriptor, or -1 after a message. */
int open_input(const char *path, const char **name);

/* Appends a whole input. Returns EX_OK, or EX_OSERR after a message. */
int read_input(const char *path, struct strbuf *out);

#endif
