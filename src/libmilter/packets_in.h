/*
 * packets_in - packets that libmilter would take wrongly do not reach it
 *
 * smfi_getsymval() of libmilter (8.17.1) goes through the macros of a packet in
 * pairs, name and value, and reads behind the end of a list with an odd number of
 * texts: whoever can connect ends the daemon (measured: after a dozen of such
 * packets).  In the packet that names the client it looks for the end of the name,
 * two octets too far if there is none (seen by valgrind).  The packet that says
 * that the connection goes on with another client (SMFIC_QUIT_NC) it ignores
 * behind most commands, and then that client's name and address too: what comes
 * from somebody would be judged as if a trusted client sent it.  So that packet is
 * refused, whatever its length; no MTA was seen to send it.
 *
 * So read() looks at what libmilter reads; such a packet becomes a failed read,
 * for which libmilter closes the connection.  It knows a packet by the way
 * libmilter reads it, in one thread: five octets, the packet's length and command,
 * then as many as the length says, into another place.  Every other read of the
 * process is passed on.
 */
#ifndef MLMILTER_LIBMILTER_PACKETS_IN_H
#define MLMILTER_LIBMILTER_PACKETS_IN_H

#include <stddef.h>
#include <sys/types.h>

/* In xxfi_close, before packets_in_forget: returns the reason why libmilter closes this thread's
 * connection, or NULL if the MTA closed it. Static storage. */
const char *packets_in_fault(void);

/* In xxfi_close: this thread's connection is over, maybe in the middle of a packet. */
void packets_in_forget(void);

/* These take the place of the C library's. A libmilter that was compiled with _FORTIFY_SOURCE=3
 * calls the second one. */
ssize_t read(int fd, void *buffer, size_t wanted);
ssize_t __read_chk(int fd, void *buffer, size_t wanted, size_t room);

#endif
