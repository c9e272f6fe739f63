/*
 * connection - the connections of MTAs, between libmilter and the kernel
 *
 * libmilter 8.17.1 has faults that a filter cannot mend by its calls (doc/libmilter.md).  So the
 * program defines five functions of the C library a second time.  They serve the descriptors that
 * this accept() returned, until this close(); every other descriptor goes to the kernel.
 *
 * - accept() sets TCP_NODELAY, and pauses while no descriptor is left.
 * - poll() receives all that has arrived, so that a message costs 7 system calls, not 318; over
 *   TCP it acknowledges first, as Sendmail then sends its next packet (93 ms a message, then 9).
 * - read() refuses packets that crash libmilter, or give a client the trust of another.
 * - writev() keeps edits until the answer: both leave in one write, or none does.
 */
#ifndef MLMILTER_LIBMILTER_CONNECTION_H
#define MLMILTER_LIBMILTER_CONNECTION_H

#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Marks a function that libmilter must find in the program, under any flags of the compiler. */
#define FOR_LIBMILTER __attribute__((visibility("default")))

/* Logs why no connection can be taken; set before libmilter starts. */
extern void (*connection_log)(const char *reason);

/* True if the packet of this callback came through this module, and, except at the negotiation,
 * answers left through it. A linker can hide its functions from libmilter. */
bool connection_is_guarded(void);

/* Sets the reason for which this callback refuses its connection. Static storage. */
void connection_refuse(const char *reason);

/* Returns why libmilter closes, in xxfi_close, or NULL if the MTA ended. Static storage. */
const char *connection_fault(void);

/* Waits until answers and edits have left, at most so many milliseconds. True if they have. */
bool connection_wait_for_answers(unsigned milliseconds);

int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length);
ssize_t read(int fd, void *buffer, size_t wanted);
ssize_t __read_chk(int fd, void *buffer, size_t wanted, size_t room); /* of _FORTIFY_SOURCE=3 */
ssize_t writev(int fd, const struct iovec *parts, int count);
int close(int fd);

#endif
