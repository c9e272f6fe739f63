/*
 * configurations - the lists that fuzz_plan and fuzz_session have
 *
 * No list names one of ours as its parent (RULINGS 57: a second pass then takes
 * the parent), and no list-id list keeps List-Id.
 */
#ifndef MLMILTER_TESTS_FUZZ_CONFIGURATIONS_H
#define MLMILTER_TESTS_FUZZ_CONFIGURATIONS_H

#include "config/settings.h"

/* Number n, modulo how many there are; read once, kept until the end. */
struct settings *fuzz_settings(unsigned n);

#endif
