/*
 * postfix_cure - what Postfix' checks work on, and the lines to type that they print
 */
#ifndef MLMILTER_CTL_DOCTOR_POSTFIX_CURE_H
#define MLMILTER_CTL_DOCTOR_POSTFIX_CURE_H

#include "ctl/doctor/doctor.h"
#include "ctl/doctor/milters.h"
#include "ctl/doctor/postfix_values.h"
#include "text/strbuf.h"

/* All borrowed while the checks run. */
struct postfix {
    struct doctor *doctor; /* with settings */
    struct postfix_values values;
    struct milter_place ours; /* `socket` */
    struct span folder;       /* the queue directory */
};

/* Appends the line that sets a parameter, in main.cf (service: NULL) or for a service, and has
 * Postfix read it. */
void cure_postconf(struct strbuf *out, const struct postfix_service *service, const char *parameter,
                   struct span value);

#endif
