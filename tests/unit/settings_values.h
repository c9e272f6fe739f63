/*
 * settings_values - what a configuration becomes, by names, for the rows of settings.txt
 */
#ifndef MLMILTER_TESTS_SETTINGS_VALUES_H
#define MLMILTER_TESTS_SETTINGS_VALUES_H

#include "config/settings.h"

#include <string.h>

static inline bool begins(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

static inline bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Checks values: NAME " = " VALUE *( "; " NAME " = " VALUE ). "N." before a name: of list N, not of
 * list 0. `before` is for the value "same". The name of the folder is left out of values. */
void check_values(const struct settings *s, const struct settings *before, const char *in_folder,
                  char *values);

#endif
