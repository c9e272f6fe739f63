/*
 * visible - characters that a terminal, a log or one line of a file may contain
 *
 * A visible character is printed as itself, in its place.  Invisible are characters that steer a
 * terminal (the control characters, U+0080 to U+009F among them), end a line (U+2028, U+2029) or
 * change the direction of the text around them (the bidirectional controls of Unicode Standard
 * Annex 9), and bytes that are no UTF-8.  Pure; any thread.
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
