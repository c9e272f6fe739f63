/*
 * probe - does a milter answer on a socket?
 *
 * Says what an MTA says first (SMFIC_OPTNEG), waits for the answer, and leaves
 * (SMFIC_QUIT): a daemon sees a connection without a message, and logs nothing.
 */
#ifndef MLMILTER_CTL_DOCTOR_PROBE_H
#define MLMILTER_CTL_DOCTOR_PROBE_H

enum probe_answer {
    PROBE_MILTER,  /* one answered */
    PROBE_MISSING, /* there is no such socket */
    PROBE_DENIED,  /* we may not connect */
    PROBE_REFUSED, /* nobody listens there */
    PROBE_SILENT,  /* nothing came in patience.probe milliseconds, or the connection was closed */
    PROBE_STRANGE, /* something else came */
    PROBE_NAMED,   /* not tried: the host is a name, which would have to be looked up (AT-13) */
    PROBE_FAILED   /* another error, in errno */
};

/* socket: as libmilter names it, without fault (config/socket_fault.h). */
enum probe_answer probe_socket(const char *socket);

#endif
