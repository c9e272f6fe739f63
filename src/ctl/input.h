/*
 * input - a message, read whole
 */
#ifndef MLMILTER_CTL_INPUT_H
#define MLMILTER_CTL_INPUT_H

#include "text/strbuf.h"

/* Appends the whole file, or standard input if path is NULL or "-". Returns EX_OK, or EX_OSERR
 * after a message. */
int input_read(const char *path, struct strbuf *out);

#endif
