/*
 * postfix_networks - whom Postfix and `trusted` believe, and where an address ends
 */
#ifndef MLMILTER_CTL_DOCTOR_POSTFIX_NETWORKS_H
#define MLMILTER_CTL_DOCTOR_POSTFIX_NETWORKS_H

#include "ctl/doctor/postfix_cure.h"

/* mynetworks against `trusted`, and recipient_delimiter of both. */
void postfix_check_networks(const struct postfix *postfix);

#endif
