/*
 * socket_fault - the key `socket`, as libmilter names sockets
 *
 *   socket = ( "inet:" / "inet6:" ) port "@" host / [ "unix:" / "local:" ] path
 *
 * The functions are pure; texts that they return are static.
 */
#ifndef MLMILTER_CONFIG_SOCKET_FAULT_H
#define MLMILTER_CONFIG_SOCKET_FAULT_H

#include "text/span.h"

#include <stddef.h>

/* Of a path. */
#define SOCKET_ROOM "expected at most 107 octets"

/* Returns what is wrong as a phrase after the text in quotes, or NULL. */
const char *socket_fault(struct span text);

/* Returns what is unwise about a socket that is right (RULINGS 84), or NULL. */
const char *socket_hint(struct span text);

/* Returns where the path of a UNIX socket begins in the text, or text.n. */
size_t socket_path(struct span text);

#endif
