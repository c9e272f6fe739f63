/*
 * socket_fault - is this a socket as libmilter names it?
 *
 *   socket = ( "inet:" / "inet6:" ) port "@" host / [ "unix:" / "local:" ] path
 */
#ifndef MLMILTER_CONFIG_SOCKET_FAULT_H
#define MLMILTER_CONFIG_SOCKET_FAULT_H

#include "text/span.h"

#include <stddef.h>

/* Of a path. */
#define SOCKET_ROOM "expected at most 107 octets"

/* NULL, or what is wrong as a phrase behind the text in quotes. Static storage. Pure. */
const char *socket_fault(struct span text);

/* NULL, or what is unwise about a socket that is right, likewise (RULINGS 84). Pure. */
const char *socket_hint(struct span text);

/* Where the path of a UNIX socket begins in the text; text.n: it has none. Pure. */
size_t socket_path(struct span text);

#endif
