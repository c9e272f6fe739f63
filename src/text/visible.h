/*
 * visible - characters that a terminal, a log or one line of a file may contain
 *
 * A visible character is printed as itself, in its place.  Invisible characters are controls
 * (U+0080 to U+009F, too), which steer a terminal; the line ends U+2028 and U+2029; the
 * bidirectional controls of Unicode Standard Annex 9, which reorder a text; and bytes that are no
 * UTF-8.
 */
#ifndef MLMILTER_TEXT_VISIBLE_H
#define MLMILTER_TEXT_VISIBLE_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>

/* Takes the first character of *rest, which is not empty, or one byte where none begins. Returns
 * true if it is visible. */
bool visible_next(struct span *rest, struct span *character);

/* Appends s with "?" for each invisible character. */
void visible_add(struct strbuf *out, struct span s);

#endif
