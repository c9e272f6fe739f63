/*
 * read_guard - packets that libmilter would take wrongly do not reach it
 *
 * smfi_getsymval() of libmilter (8.17.1) goes through the macros of a packet in
 * pairs, name and value, and reads behind the end of a list with an odd number of
 * texts: whoever can connect ends the daemon (measured: after a dozen of such
 * packets).  In the packet that names the client it looks for the end of the name,
 * two octets too far if there is none (seen by valgrind).  The packet that says
 * that the connection goes on with another client (SMFIC_QUIT_NC) it ignores
 * behind most commands, and then that client's name and address too: what comes
 * from somebody would be judged as if a trusted client sent it.
 *
 * libmilter has no hook between the packet and its functions, so read_guard.c
 * defines read(), which is how libmilter reads: such a packet becomes a failed
 * read, for which libmilter closes the connection.
 *
 * It knows a packet by the way libmilter reads it: five octets, the packet's
 * length and command, then as many as the length says, one packet at a time in
 * one thread.  Where libmilter's reads do not come by (another way of linking,
 * another libmilter), everything works as it did.  Every other read() of the
 * process is passed on.
 */
#ifndef MLMILTER_MILTER_READ_GUARD_H
#define MLMILTER_MILTER_READ_GUARD_H

#include <stddef.h>
#include <sys/types.h>

/* Does nothing; whoever calls it makes sure that the linker takes this file out of its archive. */
void read_guard_link(void);

/* Takes the place of the C library's. */
ssize_t read(int fd, void *buffer, size_t wanted);

#endif
