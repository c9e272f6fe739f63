/*
 * fingerprint - what all files of a configuration held, as one digest
 *
 * Two loads with one fingerprint read the same texts under the same names in the
 * same order, and gave the same settings.
 */
#ifndef MLMILTER_CONFIG_FILES_FINGERPRINT_H
#define MLMILTER_CONFIG_FILES_FINGERPRINT_H

#include "spec/digest.h"
#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>

struct fingerprint {
    unsigned char octets[SHA256_OCTETS];
};

void fingerprint_init(struct fingerprint *f);

/* A text and whose it is: a name without a NUL in it. */
void fingerprint_add(struct fingerprint *f, const char *name, struct span text);

bool fingerprint_eq(const struct fingerprint *a, const struct fingerprint *b);

/* Appends the first half in hexadecimal digits: enough to compare two loads of an administrator. */
void fingerprint_format(const struct fingerprint *f, struct strbuf *out);

#endif
