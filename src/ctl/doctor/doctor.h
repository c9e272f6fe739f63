/*
 * doctor - what all checks of the doctor know (types only; RULINGS 91)
 *
 * A check is a function void x(struct doctor *) that says what it found with
 * findings_say and changes nothing on the host.
 */
#ifndef MLMILTER_CTL_DOCTOR_DOCTOR_H
#define MLMILTER_CTL_DOCTOR_DOCTOR_H

#include "config/settings.h"
#include "ctl/doctor/findings.h"

#include <stdbool.h>
#include <sys/types.h>

struct doctor {
    const char *config_path;
    const struct settings *settings; /* NULL: the configuration is wrong or could not be read */
    const char *sendmail_cf;         /* --sendmail-cf; NULL: the usual one */
    bool is_root;
    struct findings findings; /* its arena may be used for texts */
    pid_t daemon_pid;         /* filled by check_daemon; 0: none runs, or not seen */
    const char *mail_owner;   /* Postfix' user, filled by doctor_postfix; NULL: no Postfix here */
};

#endif
