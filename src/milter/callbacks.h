/*
 * callbacks - what libmilter calls
 */
#ifndef MLMILTER_MILTER_CALLBACKS_H
#define MLMILTER_MILTER_CALLBACKS_H

#include "milter/host.h"

/* Registers the filter with libmilter. host must outlive libmilter's threads. To be called once,
 * before any other function of libmilter. 0 or -1. */
int callbacks_register(const struct milter_host *host);

#endif
