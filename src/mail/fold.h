/*
 * fold - the text of a field's value (RFC 5322 2.2.3)
 */
#ifndef MLMILTER_MAIL_FOLD_H
#define MLMILTER_MAIL_FOLD_H

#include "text/arena.h"
#include "text/span.h"

#include <stdbool.h>

/* Returns the text of a value, unfolded and trimmed: each LF before SP or TAB is deleted, with all
 * CRs before it, then SP, TAB, CR and LF at both ends (RULINGS 5, 116). It is a part of value if
 * there is nothing to unfold, else it lives in the arena. */
struct span fold_text(struct span value, struct arena *arena);

/* Returns the text without SP, TAB, CR and LF, as LI-06 and RFC 2369 2 ask between angle brackets.
 * It is text itself if that has none, else it lives in the arena. */
struct span fold_without_space(struct span text, struct arena *arena);

/* True if the value has a CR with neither an LF nor the end of the value after it, other CRs aside:
 * some mail programs end the line there, and see a field in the rest (RULINGS 116). */
bool fold_has_stray_cr(struct span value);

#endif
