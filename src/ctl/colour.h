/*
 * colour - colours for a terminal
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

/* True if the descriptor is a terminal that may have colours: not if NO_COLOR is set and not empty,
 * or if TERM is unset, empty or "dumb". */
bool colour_wanted(int fd);

/* Appends the text, in the colour if colours are wanted. */
void colour_add(struct strbuf *out, bool wanted, enum colour colour, struct span text);

/* Appends lines of an explanation or a difference, if wanted each in the colour of its mark: "+"
 * green, "-" red, "=" dim, "note:" yellow, "error:" red. */
void colour_add_marked(struct strbuf *out, bool wanted, struct span lines);

#endif
