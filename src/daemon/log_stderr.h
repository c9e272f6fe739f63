/*
 * log_stderr - lines to standard error that nobody has to wait for
 *
 * A pipe whose reader sleeps, or a full disk, must not stop mail.  What cannot be
 * written within a tenth of a second is dropped and counted; the next line that
 * can be written says how many were.  Any thread.
 */
#ifndef MLMILTER_DAEMON_LOG_STDERR_H
#define MLMILTER_DAEMON_LOG_STDERR_H

#include "text/span.h"

/* A line with its line end. mark: what a line of ours about lost ones is to begin with. */
void log_stderr_write(struct span line, const char *mark);

#endif
