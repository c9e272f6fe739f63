/*
 * error - the error of a store, as a text for the log
 */
#ifndef MLMILTER_STORE_ERROR_H
#define MLMILTER_STORE_ERROR_H

#include "text/span.h"

#include <stdint.h>

/* A NUL-terminated text of one line. */
struct store_error {
    char text[256];
};

/* Sets *error. The text is cut to fit; control characters become blanks. Always returns -1. */
int store_fail(struct store_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Set the error of a list at POST_NUMBER_MAX, and of a list whose counter is lower than a number
 * that this process was given: the next number might be a repeated one (SU-20). Always return -1.
 */
int store_fail_used_up(struct store_error *error, struct span list);
int store_fail_floor(struct store_error *error, struct span list, uint64_t last, uint64_t floor);

#endif
