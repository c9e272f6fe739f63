/*
 * postfix_lists - do Postfix' aliases and domains lead to the lists, and only by names that the
 * lists have?
 */
#ifndef MLMILTER_CTL_DOCTOR_POSTFIX_LISTS_H
#define MLMILTER_CTL_DOCTOR_POSTFIX_LISTS_H

#include "ctl/doctor/postfix.h"

/* Looks at each list and each line of the tables. */
void postfix_check_lists(const struct postfix *postfix);

#endif
