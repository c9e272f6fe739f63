/*
 * sendmail - what this host's Sendmail does with posts, read from its sendmail.cf
 */
#ifndef MLMILTER_CTL_DOCTOR_SENDMAIL_H
#define MLMILTER_CTL_DOCTOR_SENDMAIL_H

#include "ctl/doctor/doctor.h"

/* Looks at the file that was named, else at /etc/mail/sendmail.cf where that is there and there is
 * no Postfix. */
void doctor_sendmail(struct doctor *doctor);

#endif
