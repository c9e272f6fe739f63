/*
 * callbacks - the filter as libmilter calls it
 */
#ifndef MLMILTER_MILTER_CALLBACKS_H
#define MLMILTER_MILTER_CALLBACKS_H

#include "milter/host.h"

/* Registers the filter with libmilter, once, before any other function of libmilter is called. host
 * must outlive libmilter's threads. Returns 0 or -1. */
int callbacks_register(const struct milter_host *host);

#endif
