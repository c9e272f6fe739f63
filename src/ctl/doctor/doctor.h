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

/* What the MTA says of itself, for whoever tries the socket as the MTA does. */
struct doctor_postfix_facts {
    const char *mail_owner;      /* the user of its smtpd and cleanup; NULL: no Postfix here */
    const char *queue_directory; /* what a chroot is; NULL: not known */
    bool chroot;                 /* its smtpd is in it */
    const char *socket_path;     /* of the milter that is ours, as smtpd_milters has it after
                                    "unix:"; NULL: it is not there, or not such a one */
};

struct doctor {
    const char *config_path;
    const struct settings *settings; /* NULL: the configuration is wrong or could not be read */
    const char *sendmail_cf;         /* --sendmail-cf; NULL: the usual one */
    bool is_root;
    struct findings findings;            /* its arena may be used for texts */
    pid_t daemon_pid;                    /* filled by check_daemon; 0: none runs, or not seen */
    struct doctor_postfix_facts postfix; /* filled by doctor_postfix */
};

#endif
