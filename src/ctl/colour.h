/*
 * colour - colours for a terminal, and for nothing else
 *
 * One thread.
 */
#ifndef MLMILTER_CTL_COLOUR_H
#define MLMILTER_CTL_COLOUR_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>

enum colour {
    COLOUR_PLAIN,
    COLOUR_RED,
    COLOUR_GREEN,
    COLOUR_YELLOW,
    COLOUR_BOLD,
    COLOUR_DIM,
    COLOUR_COUNT
};

/* Is the descriptor a terminal that may have colours? Not with NO_COLOR in the environment, unless
 * it is empty, nor with TERM unset, empty or "dumb". */
bool colour_wanted(int fd);

/* Appends the text, in the colour if colours are wanted. */
void colour_add(struct strbuf *out, bool wanted, enum colour colour, struct span text);

/* Appends lines of an explanation or a difference, each in the colour of its mark: "+" green, "-"
 * red, "=" dim, "note:" yellow, "error:" red. Without `wanted` as they are. */
void colour_add_marked(struct strbuf *out, bool wanted, struct span lines);

#endif
