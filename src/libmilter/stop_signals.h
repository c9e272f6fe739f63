/*
 * stop_signals - libmilter's signal thread gets no signal
 *
 * That thread ends the filter at SIGHUP, SIGTERM and SIGINT (doc/libmilter.md).  So this sigwait()
 * never returns if it is called for SIGHUP.  libpq calls it for SIGPIPE, as usual.
 */
#ifndef MLMILTER_LIBMILTER_STOP_SIGNALS_H
#define MLMILTER_LIBMILTER_STOP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

int sigwait(const sigset_t *set, int *number);

/* Waits until libmilter's thread is in this sigwait(), at most so many milliseconds. True if it is;
 * else a signal could end libmilter. */
bool stop_signals_wait(unsigned milliseconds);

#endif
