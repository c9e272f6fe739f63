/*
 * error - the error of a store, as a text for the log
 */
#ifndef MLMILTER_STORE_ERROR_H
#define MLMILTER_STORE_ERROR_H

/* A NUL-terminated text of one line. */
struct store_error {
    char text[256];
};

/* Sets *error. The text is cut to fit; control characters become blanks. Always returns -1. */
int store_fail(struct store_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
