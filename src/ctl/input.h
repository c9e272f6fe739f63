/*
 * input - a message, read whole
 */
#ifndef MLMILTER_CTL_INPUT_H
#define MLMILTER_CTL_INPUT_H

#include "text/strbuf.h"

/* Appends all of the file, or of standard input when path is NULL or "-". 0, or EX_OSERR after a
 * message. */
int input_read(const char *path, struct strbuf *out);

#endif
