/*
 * callbacks - the filter as libmilter calls it
 */
#ifndef MLMILTER_MILTER_CALLBACKS_H
#define MLMILTER_MILTER_CALLBACKS_H

/* Registers the filter with libmilter, once, before any other function of libmilter is called.
 * Returns 0 or -1. */
int callbacks_register(void);

#endif
