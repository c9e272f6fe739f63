/*
 * check_daemon - does it run, with what the files say, does it answer, and may the MTA ask it?
 */
#ifndef MLMILTER_CTL_DOCTOR_CHECK_DAEMON_H
#define MLMILTER_CTL_DOCTOR_CHECK_DAEMON_H

#include "ctl/doctor/doctor.h"

/* Both need doctor->settings. */
void check_daemon(struct doctor *doctor);

/* Can doctor->mail_owner connect to a UNIX socket? After check_daemon. */
void check_reach(struct doctor *doctor);

#endif
