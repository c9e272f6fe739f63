/*
 * check_files - the daemon's user, and what it must read and write: files, keys, the store
 */
#ifndef MLMILTER_CTL_DOCTOR_CHECK_FILES_H
#define MLMILTER_CTL_DOCTOR_CHECK_FILES_H

#include "ctl/doctor/doctor.h"

/* Needs doctor->settings. */
void check_files(struct doctor *doctor);

#endif
