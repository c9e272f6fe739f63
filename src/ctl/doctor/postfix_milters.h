/*
 * postfix_milters - does Postfix ask us, for which mail, where in the chain, and what when we are
 * away?
 */
#ifndef MLMILTER_CTL_DOCTOR_POSTFIX_MILTERS_H
#define MLMILTER_CTL_DOCTOR_POSTFIX_MILTERS_H

#include "ctl/doctor/postfix.h"

/* Looks at smtpd_milters in main.cf and of each smtpd service, at non_smtpd_milters, and at what
 * goes with them. */
void postfix_check_milters(struct postfix *postfix);

#endif
