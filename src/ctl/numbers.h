/*
 * numbers - numbers on the command line
 */
#ifndef MLMILTER_CTL_NUMBERS_H
#define MLMILTER_CTL_NUMBERS_H

#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

/* 1*DIGIT, at most `most`. */
bool number_parse(const char *text, uint64_t most, uint64_t *number);

#endif
