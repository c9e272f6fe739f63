/*
 * connections - how libmilter takes connections
 *
 * When accept() says that the process or the system has no descriptor left, or no
 * memory, libmilter (8.17.1) calls it again at once, with all of a processor and
 * without a word in the log, until a connection ends (measured).  With accept() of
 * this module such a failure takes patience.accept and is told every patience.accept_say.
 *
 * libmilter writes each packet by itself: with Nagle's algorithm and a delayed
 * acknowledgement an edited message takes 44 ms in Postfix over TCP, without 1.6
 * ms (measured).  So what comes over TCP gets TCP_NODELAY.
 *
 * Sendmail too writes each packet by itself, without TCP_NODELAY: it sends the next
 * when the one before is acknowledged, which our kernel delays by 40 ms.  So what
 * comes over TCP is acknowledged before we wait: 93 ms a message without, 9 with
 * (measured, Sendmail 8.17.1).
 */
#ifndef MLMILTER_LIBMILTER_CONNECTIONS_H
#define MLMILTER_LIBMILTER_CONNECTIONS_H

#include <sys/socket.h>

/* Before libmilter is started: where lines for the log go. */
void connections_tell(void (*tell)(const char *line));

/* Over TCP: acknowledges what has come on fd now, and what comes next at once. To be called before
 * each wait for which nothing was written, as the kernel goes back to delaying. Any thread. */
void connections_acknowledge(int fd);

/* Takes the place of the C library's. */
int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length);

#endif
