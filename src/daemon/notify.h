/*
 * notify - reports the state to the service manager (sd_notify(3))
 *
 * Its protocol is a datagram of NAME=VALUE lines to the UNIX socket that
 * NOTIFY_SOCKET names.  Without that variable nothing is sent.
 */
#ifndef MLMILTER_DAEMON_NOTIFY_H
#define MLMILTER_DAEMON_NOTIFY_H

#include <stdint.h>

struct notify {
    int fd;           /* -1: no service manager */
    int64_t every;    /* interval of the watchdog in microseconds; 0: no watchdog */
    int64_t reported; /* time of the last report, on the monotonic clock */
};

#define NOTIFY_INIT                                                                                \
    {                                                                                              \
        -1, 0, 0                                                                                   \
    }

/* Reads and removes the variables, before there are threads. Logs errors. */
void notify_open(struct notify *notify);
void notify_close(struct notify *notify);

/* Sends lines in one datagram. The last line has no line end. */
void notify_send(const struct notify *notify, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reports the start of a reload. READY=1 must follow at its end. */
void notify_reloading(const struct notify *notify);

/* Reports to the watchdog if that is due; main thread, each time it wakes up. */
void notify_alive(struct notify *notify);

/* Returns the milliseconds until notify_alive is due, or -1 without watchdog. */
int notify_wait(const struct notify *notify);

#endif
