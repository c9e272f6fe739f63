/*
 * sendmail_aliases - do Sendmail's aliases lead to the lists, and only by names that the lists
 * have?
 */
#ifndef MLMILTER_CTL_DOCTOR_SENDMAIL_ALIASES_H
#define MLMILTER_CTL_DOCTOR_SENDMAIL_ALIASES_H

#include "ctl/doctor/doctor.h"

/* Reads the alias file that a sendmail.cf names. The doctor has settings. */
void sendmail_check_aliases(struct doctor *doctor, struct span cf);

#endif
