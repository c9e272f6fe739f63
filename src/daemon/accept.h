/*
 * accept - libmilter waits when no descriptor is left
 *
 * When accept() says that the process or the system has none, or no memory, libmilter (8.17.1)
 * calls it again at once, with all of a processor and without a word in the log, until a connection
 * ends (measured).  libmilter has no hook there, so accept.c defines accept(), which is how
 * libmilter takes connections: such a failure is told once a minute and takes a tenth of a second.
 * Where libmilter's calls do not come by (another way of linking), everything works as it did.
 */
#ifndef MLMILTER_DAEMON_ACCEPT_H
#define MLMILTER_DAEMON_ACCEPT_H

#include <sys/socket.h>

/* Takes the place of the C library's. */
int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length);

#endif
