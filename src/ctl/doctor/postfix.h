/*
 * postfix - what this host's Postfix does with posts, asked of postconf(1)
 *
 * MAIL_CONFIG of the environment leads to another configuration, as it does for Postfix'
 * own programs; nothing of another one is looked at then.
 */
#ifndef MLMILTER_CTL_DOCTOR_POSTFIX_H
#define MLMILTER_CTL_DOCTOR_POSTFIX_H

#include "ctl/doctor/doctor.h"
#include "ctl/doctor/milters.h"
#include "ctl/doctor/postfix_values.h"

/* What the checks of Postfix share. All is borrowed while they run. */
struct postfix {
    struct doctor *doctor; /* with settings */
    struct postfix_values values;
    struct milter_place ours; /* `socket` */
    struct span folder;       /* the queue directory */
};

/* Also fills doctor->mail_owner. */
void doctor_postfix(struct doctor *doctor);

#endif
