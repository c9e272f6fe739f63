/*
 * check_configuration - is there a configuration that the daemon would take?
 */
#ifndef MLMILTER_CTL_DOCTOR_CHECK_CONFIGURATION_H
#define MLMILTER_CTL_DOCTOR_CHECK_CONFIGURATION_H

#include "ctl/doctor/doctor.h"

/* Loads the settings of doctor->config_path as whoever we are: NULL where there are none. The
 * caller frees with settings_free. */
struct settings *check_configuration(struct doctor *doctor);

#endif
