/*
 * signals - the daemon's signals come while the main thread waits for them, and at no other time
 *
 * SIGHUP and SIGUSR1 mean reload, SIGTERM and SIGINT stop.  Main thread, except signals_wake.
 */
#ifndef MLMILTER_SYSTEM_SIGNALS_H
#define MLMILTER_SYSTEM_SIGNALS_H

#include <stdint.h>

#define SIGNALS_RELOAD 1u
#define SIGNALS_STOP   2u
#define SIGNALS_WAKE   4u

/* Blocks these signals in this thread and those that it creates: call it before any other starts.
 * Ignores SIGPIPE and SIGXFSZ, so that writes fail with an error instead. Returns 0, or -1 with
 * errno. */
int signals_take(void);

/* Waits for signals, or until a descriptor (-1: none) can be read, at most so many milliseconds.
 * Returns which came; several reloads count as one. */
unsigned signals_wait(int fd, int64_t milliseconds);

/* Ends the present wait, or the next one, with SIGNALS_WAKE. Any thread. */
void signals_wake(void);

#endif
