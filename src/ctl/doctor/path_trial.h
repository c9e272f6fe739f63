/*
 * path_trial - on the way to a file, what stops whom we are now?
 *
 * Asks for the effective user, so that root may borrow one's rights before
 * (system/privileges.h).
 */
#ifndef MLMILTER_CTL_DOCTOR_PATH_TRIAL_H
#define MLMILTER_CTL_DOCTOR_PATH_TRIAL_H

#include "system/privileges.h"
#include "text/strbuf.h"

enum path_stop {
    PATH_FREE,    /* nothing does */
    PATH_MISSING, /* *stop is not there */
    PATH_DENIED,  /* *stop is a folder that we may not enter, or the file that we may not use */
    PATH_FAILED   /* another error, in errno */
};

/* mode as in access(2). *stop is set to the part of the path that stops us, "" with PATH_FREE. */
enum path_stop path_trial(const char *path, int mode, struct strbuf *stop);

/* Appends the line that lets the account use what denied it the path. */
void path_trial_cure(struct strbuf *cure, const char *path, const char *stop, int mode,
                     const struct account *account);

#endif
