/*
 * probes - records of probes, by which `mlmilterctl doctor` sees that an MTA asks this daemon
 *
 * doctor says MAIL FROM:<mlmilter-probe.KEY.NONCE.N@HOST>, or ENVID=mlmilter-probe.KEY.NONCE.N, to
 * an MTA, ends the session, and looks for NONCE.N in the status file.  KEY is made at the start. It
 * gets into the logs of MTAs, so it permits nothing but a record.
 */
#ifndef MLMILTER_DAEMON_PROBES_H
#define MLMILTER_DAEMON_PROBES_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>

/* Makes KEY. Without random numbers there is none, and no probe. Main thread, at the start. */
void probes_start(void);

/* Takes NONCE.N from a sender or an envelope identifier. Returns false if it is no probe. Any
 * thread. */
bool probes_read(struct span text, struct span *number);

/* Records a probe, and has the main loop write the status file. Any thread. */
void probes_record(struct span number, bool is_trusted, const char *address,
                   struct span daemon_name);

/* Adds KEY and the last records as lines of the status file. Any thread. */
void probes_add(struct strbuf *out);

#endif
