/*
 * background - puts the daemon into the background; its starter waits until it is ready
 */
#ifndef MLMILTER_DAEMON_BACKGROUND_H
#define MLMILTER_DAEMON_BACKGROUND_H

/* Opens /dev/null in place of closed standard descriptors, before anything else is opened. So no
 * log line can end in the pid file or a socket. Returns 0, or -1 with errno. */
int background_fill_descriptors(void);

/* Forks. The parent waits for background_report and exits with its status. The child continues in
 * its own session and keeps standard error. Returns 0 in the child, or -1 with errno. */
int background_start(void);

/* Reports to the parent, once: 0 if the child is ready, or its exit status. Does nothing without
 * background_start. */
void background_report(int status);

/* Changes to the directory / and opens /dev/null as standard descriptors. Returns 0, or -1 with
 * errno. */
int background_detach(void);

#endif
