/*
 * stencil - a text without what it has in common with others
 *
 * The texts of 100,000 lists are alike but for a few values, as each list's address.  The octets 1
 * to 6 of a stencil stand for these values, so that texts that differ in nothing else have one
 * stencil; behind an octet 7 stands one that means itself.  Pure; any thread.
 */
#ifndef MLMILTER_TEXT_STENCIL_H
#define MLMILTER_TEXT_STENCIL_H

#include "text/span.h"
#include "text/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

#define STENCIL_VALUES 6

struct stencil_values {
    struct span of[STENCIL_VALUES]; /* an empty one stands nowhere */
};

/* Appends the stencil of a text; where several values fit, the first one is taken. */
void stencil_add(struct strbuf *out, struct span text, const struct stencil_values *values);

/* Is this the text of the stencil with these values? */
bool stencil_is(struct span stencil, const struct stencil_values *values, struct span text);

/* Octets of the text, and the text itself. It is that of which the stencil was made if the values
 * are the same. */
size_t stencil_length(struct span stencil, const struct stencil_values *values);
void stencil_write(struct span stencil, const struct stencil_values *values, char *text);

#endif
