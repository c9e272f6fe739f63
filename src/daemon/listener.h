/*
 * listener - libmilter's socket and the thread in which libmilter runs
 */
#ifndef MLMILTER_DAEMON_LISTENER_H
#define MLMILTER_DAEMON_LISTENER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

struct listener {
    char *connection; /* libmilter's syntax, with an absolute path; owned */
    const char *path; /* the UNIX socket within connection, or NULL */
    dev_t device;     /* what the socket file was when it was made */
    ino_t inode;
    atomic_bool ended;
    void (*on_end)(void);
};

/* The access rights of a UNIX socket. */
struct socket_access {
    unsigned mode;
    uid_t owner; /* (uid_t)-1: as it is */
    gid_t group; /* (gid_t)-1: as it is */
};

/* Takes a socket with which socket_fault (config/socket_fault.h) finds no fault. 0, or -1 with
 * errno. */
int listener_set(struct listener *listener, const char *socket);

/* Opens it. The filter must be registered. Problems are logged. 0 or -1. */
int listener_open(struct listener *listener, const struct socket_access *access);

/* Starts libmilter in a thread of its own, with every signal blocked; on_end is called there should
 * libmilter end. Nobody asks it to: smfi_stop waits up to five seconds for a lock, and that lock is
 * destroyed by libmilter's listener meanwhile (seen by the thread sanitizer). It ends with the
 * process. Waits until libmilter can take no signal. Problems are logged. 0 or -1. */
int listener_start(struct listener *listener, void (*on_end)(void));

/* Has libmilter ended? */
bool listener_has_ended(struct listener *listener);

/* Removes the UNIX socket if it still is ours and the directory permits it, and frees. */
void listener_close(struct listener *listener);

#endif
