/*
 * error - why a store failed, as a text for the log
 */
#ifndef MLMILTER_STORE_ERROR_H
#define MLMILTER_STORE_ERROR_H

#include "text/span.h"

#include <stdint.h>

/* A NUL-terminated text of one line. */
struct store_error {
    char text[256];
};

/* Fills *error; the text is cut to fit and has no control characters. Always -1. */
int store_fail(struct store_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What a post is refused with at POST_NUMBER_MAX, and where the counter is lower than the last
 * number that this process was told: the next one may be one that was told already (SU-20). Always
 * -1. */
int store_fail_used_up(struct store_error *error, struct span list);
int store_fail_floor(struct store_error *error, struct span list, uint64_t last, uint64_t floor);

#endif
