/*
 * visible - may a terminal, a log or one line of a file see this?
 *
 * Visible is a character that is printed as what it is, where it stands.  Not one
 * that steers a terminal (the control characters, U+0080 to U+009F among them), ends
 * a line (U+2028, U+2029) or changes the direction of what is around it (the
 * bidirectional controls of Unicode Standard Annex 9); nor is what is no UTF-8.
 * Pure; any thread.
 */
#ifndef MLMILTER_TEXT_VISIBLE_H
#define MLMILTER_TEXT_VISIBLE_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>

/* Takes the first character of *rest, which is not empty, or one octet where none begins: that is
 * *character. Is it visible? */
bool visible_next(struct span *rest, struct span *character);

/* Appends s with "?" for what is not visible. */
void visible_add(struct strbuf *out, struct span s);

#endif
