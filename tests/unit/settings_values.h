/*
 * settings_values - what a configuration becomes, by names, for the rows of settings.txt
 */
#ifndef MLMILTER_TESTS_SETTINGS_VALUES_H
#define MLMILTER_TESTS_SETTINGS_VALUES_H

#include "config/settings.h"

/* Checks values: NAME " = " VALUE *( "; " NAME " = " VALUE ). "N." before a name: of list N, not of
 * list 0. `before` is for the value "same". The name of the folder is left out of values. */
void check_values(const struct settings *s, const struct settings *before, const char *in_folder,
                  char *values);

#endif
