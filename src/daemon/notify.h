/*
 * notify - tells the service manager that started us how we are (sd_notify(3))
 *
 * Its protocol is a datagram of NAME=VALUE lines to the UNIX socket that
 * NOTIFY_SOCKET names.  Without that variable nothing is sent.
 */
#ifndef MLMILTER_DAEMON_NOTIFY_H
#define MLMILTER_DAEMON_NOTIFY_H

#include <stdint.h>

struct notify {
    int fd;           /* -1: nobody wants to know */
    int64_t every;    /* the watchdog wants to hear of us that often, in microseconds; 0: never */
    int64_t reported; /* when it did, on the monotonic clock */
};

#define NOTIFY_INIT                                                                                \
    {                                                                                              \
        -1, 0, 0                                                                                   \
    }

/* Reads the environment and takes it away, before there are threads. What is wrong is logged. */
void notify_open(struct notify *notify);
void notify_close(struct notify *notify);

/* Sends one datagram of lines, without the last line's end. */
void notify_send(const struct notify *notify, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A reload begins. READY=1 is due when it has ended, well or not. */
void notify_reloading(const struct notify *notify);

/* Main thread, each time it wakes up: the watchdog hears of it when that is due. */
void notify_alive(struct notify *notify);

/* Milliseconds until notify_alive is due; -1: never. */
int notify_wait(const struct notify *notify);

#endif
