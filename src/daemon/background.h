/*
 * background - a daemon whose starter waits until it is ready
 */
#ifndef MLMILTER_DAEMON_BACKGROUND_H
#define MLMILTER_DAEMON_BACKGROUND_H

/* Before anything is opened: where a standard descriptor is closed, /dev/null takes its place, so
 * that no log line ends in the pid file or in a socket. 0 or -1 with errno. */
int background_fill_descriptors(void);

/* Forks. The parent does not return: it waits for background_report and exits with that status.
 * The child goes on in a session of its own, standard error still in place. 0 or -1 with errno. */
int background_start(void);

/* In the child, once: 0 when it is ready, else the status that it will exit with. Does nothing when
 * background_start was not called. */
void background_report(int status);

/* Working directory / and nothing on the standard descriptors. 0 or -1 with errno. */
int background_detach(void);

#endif
