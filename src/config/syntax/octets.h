/*
 * octets - which octets may stand in a configuration file
 *
 * Stricter than libConfuse 3.3, which ends a value at "\0" and drops an octet it does not know
 * (measured).  All return NULL, or what is wrong: a static text for say().
 */
#ifndef MLMILTER_CONFIG_SYNTAX_OCTETS_H
#define MLMILTER_CONFIG_SYNTAX_OCTETS_H

#include "text/span.h"

/* Of a whole file: valid UTF-8, no control characters but TAB, LF, and CR before LF. *line: where.
 */
const char *octets_fault(struct span text, int *line);

/* Of an escape in double quotes; p stands behind the backslash. */
const char *octets_escape_fault(const char *p, const char *end);

/* Why the octet at p cannot stand outside of quotes, where it is part of no word. */
const char *octets_outside_fault(const char *p, const char *end);

#endif
