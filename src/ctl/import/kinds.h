/*
 * kinds - the list managers that lists come from; objects only, each of a file of its own
 *
 * mailman.c has both, and so says which is which.
 */
#ifndef MLMILTER_CTL_IMPORT_KINDS_H
#define MLMILTER_CTL_IMPORT_KINDS_H

#include "ctl/import/import.h"

extern const struct import_kind import_mlmmj;
extern const struct import_kind import_ezmlm;
extern const struct import_kind import_sympa;
extern const struct import_kind import_mailman2;
extern const struct import_kind import_mailman3;
extern const struct import_kind import_aliases;

#endif
