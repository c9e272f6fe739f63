/*
 * connection - the connections of MTAs, between libmilter and the kernel
 *
 * libmilter has faults that a filter cannot mend by its calls (doc/libmilter.md).  So the program
 * defines seven functions of the C library a second time.  They serve the descriptors that this
 * accept() returned, until this close(); every other descriptor goes to the kernel.
 *
 * - accept() sets TCP_NODELAY, and pauses while no descriptor is left.
 * - poll() or select() receives all that has arrived, so that a message costs 7 system calls, not
 *   318; over TCP it acknowledges first, as Sendmail then sends its next packet (93 ms a message,
 *   then 9).  Only within a packet it ends the wait early.
 * - read() refuses packets that crash libmilter, or give a client the trust of another.
 * - writev() keeps edits until the answer: both leave in one write, or none does.
 * - sigwait() holds libmilter's signal thread, which would end the filter at SIGHUP.
 *
 * One thread of libmilter accepts.  Its builds differ in the threads that serve a connection:
 *
 *     built with           a connection has             a wait for it is
 *     _FFR_WORKERS_POOL    one thread of a pool until   poll() of 1 ms, then another thread's
 *                          it is silent for 1 ms        poll() of all silent connections
 *     SM_CONF_POLL         its own thread               poll() of 7,210 s
 *     neither              its own thread               select() of 7,210 s, below 1,024
 *
 * Therefore the state of a connection belongs to its descriptor and is used by one thread at a
 * time; a thread knows only which descriptor it served last, for the callbacks below.
 *
 *     state              libmilter does next         may be called
 *     between packets    wait, read, writev, close   connection_is_guarded, _refuse, _fault
 *     within a packet    wait, read, close           connection_fault
 *     ended by the MTA   read (0 bytes), close       connection_fault
 */
#ifndef MLMILTER_LIBMILTER_CONNECTION_H
#define MLMILTER_LIBMILTER_CONNECTION_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Marks a function that libmilter must find in the program, under any flags of the compiler. */
#define FOR_LIBMILTER __attribute__((visibility("default")))

/* No connection may have a descriptor from this number on. */
#define CONNECTION_DESCRIPTORS 65536

/* Logs why no connection can be taken; set before libmilter starts. */
extern void (*connection_log)(const char *reason);

/* Makes this thread the one that accepts: it calls smfi_main next. */
void connection_accept_here(void);

/* Waits until libmilter's threads call sigwait() and either poll() or select(), at most so many
 * milliseconds. Returns NULL with *selects, or the function that libmilter does not call. */
const char *connection_wait_for_libmilter(unsigned milliseconds, bool *selects);

/* True if libmilter calls the functions below: read() for the packet of this callback, and, except
 * at the negotiation, writev() for an earlier answer. A linker can hide them from libmilter. */
bool connection_is_guarded(void);

/* Sets the reason for which this callback refuses its connection. Static storage. */
void connection_refuse(const char *reason);

/* For xxfi_close: returns why libmilter closes the connection, or NULL after SMFIC_QUIT, the end of
 * the connection, or libmilter's own limit of silence. Static storage. */
const char *connection_fault(void);

/* Waits until answers and edits have left, at most so many milliseconds. True if they have. */
bool connection_wait_for_answers(unsigned milliseconds);

int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length);
int select(int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict faults,
           struct timeval *restrict limit);
ssize_t read(int fd, void *buffer, size_t wanted);
ssize_t __read_chk(int fd, void *buffer, size_t wanted, size_t room); /* of _FORTIFY_SOURCE=3 */
ssize_t writev(int fd, const struct iovec *parts, int count);
int close(int fd);
int sigwait(const sigset_t *set, int *number);

#endif
