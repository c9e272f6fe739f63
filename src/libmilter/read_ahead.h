/*
 * read_ahead - packets that have arrived reach libmilter without a system call for each
 *
 * For each packet libmilter (8.17.1) calls poll() three times and read() twice.
 * Postfix sends a packet of macros before each command and before each field: 58
 * packets, 290 system calls for a post of 26 fields, and with them two thirds of
 * its processor time (measured).  But they come in two or three writes.  So where
 * libmilter reads a packet, everything that has arrived is read, and poll() and
 * read() are answered from memory until that is used up.
 *
 * Before libmilter's thread waits for more, what has come over TCP is acknowledged
 * (connections.h): only then does Sendmail send the next packet.  What libmilter
 * writes acknowledges, too: with Postfix, which waits for a reply behind each write,
 * there is nothing left to do.
 *
 * libmilter gives a connection to another thread only when poll() says that nothing
 * is there to read.  So what a thread has read ahead is used up by then, and a
 * thread needs to remember one connection.  A descriptor is known to be one by the
 * way libmilter begins: after poll() has said in the same thread that this one can
 * be read, five octets are.  poll() and read() of any other descriptor, and poll()
 * of several, go to the kernel.
 */
#ifndef MLMILTER_LIBMILTER_READ_AHEAD_H
#define MLMILTER_LIBMILTER_READ_AHEAD_H

#include <poll.h>
#include <stddef.h>
#include <sys/types.h>

#define PACKET_PREFIX 5 /* octets of a packet's length and command */

/* As read(): what was read ahead, or what the kernel has. */
ssize_t read_ahead(int fd, void *buffer, size_t wanted);

/* In xxfi_close: the connection is over; what this thread has read of it and not used is dropped.
 * (Called in another thread, where libmilter ends one that was silent for hours, it finds nothing.)
 */
void read_ahead_forget(void);

/* Takes the place of the C library's. (libmilter was not seen to call __poll_chk() for one
 * descriptor, whatever _FORTIFY_SOURCE it was compiled with.) */
int poll(struct pollfd *wanted, nfds_t count, int milliseconds);

#endif
