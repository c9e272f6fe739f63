/*
 * listener - libmilter's socket and the thread in which libmilter runs
 *
 * Main thread.
 */
#ifndef MLMILTER_DAEMON_LISTENER_H
#define MLMILTER_DAEMON_LISTENER_H

#include <sys/types.h>

/* The access rights of a UNIX socket. */
struct socket_access {
    unsigned mode;
    uid_t owner; /* (uid_t)-1: unchanged */
    gid_t group; /* (gid_t)-1: unchanged */
};

/* Takes a socket that socket_fault (config/read/faults.h) accepts. Returns 0, or -1 with errno. */
int listener_set(const char *socket);

/* Return the socket in libmilter's syntax, with an absolute path; and the path of a UNIX socket or
 * NULL. */
const char *listener_socket(void);
const char *listener_path(void);

/* Registers the filter and opens the socket. Logs errors. Returns 0 or -1. */
int listener_open(const struct socket_access *access);

/* Starts libmilter in a thread of its own, and waits until it serves and can take no signal. If
 * libmilter ends, the process ends with EX_TEMPFAIL. Nothing asks libmilter to end: smfi_stop waits
 * for a lock that libmilter's listener destroys meanwhile (seen by the thread sanitizer). Logs
 * errors. Returns 0 or -1. */
int listener_start(void);

/* Removes the UNIX socket, if this process has opened it. */
void listener_remove(void);

#endif
