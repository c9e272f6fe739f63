/*
 * stop_signals - libmilter's signal thread gets no signal
 *
 * libmilter has a thread of its own that waits for SIGHUP, SIGTERM and SIGINT and
 * takes each of them as "stop".  Linux gives a signal to the main thread unless
 * that blocks it or has another one to take: then it is libmilter's (measured: of
 * SIGUSR1 and SIGHUP in one moment the second in half of 20,000 pairs; under the
 * thread sanitizer, which blocks all while a handler runs, any burst).  So
 * handlers in the main thread alone do not do: sigwait() never returns where it is
 * to wait for these three.
 */
#ifndef MLMILTER_LIBMILTER_STOP_SIGNALS_H
#define MLMILTER_LIBMILTER_STOP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Takes the place of the C library's. For any other set it does what that does: libpq waits for a
 * SIGPIPE that it has made. */
int sigwait(const sigset_t *set, int *number);

/* After libmilter was started: waits until its thread is in our sigwait(), at most so long. false:
 * it is not, so a signal could end libmilter. */
bool stop_signals_held(unsigned milliseconds);

#endif
