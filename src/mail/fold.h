/*
 * fold - the text of a field's value (RFC 5322 2.2.3)
 */
#ifndef MLMILTER_MAIL_FOLD_H
#define MLMILTER_MAIL_FOLD_H

#include "text/arena.h"
#include "text/span.h"

/* Returns the text of a value, unfolded and trimmed: each CRLF or LF before SP or TAB is deleted,
 * then SP, TAB, CR and LF at both ends. It is a part of value if there is nothing to unfold, else
 * it lives in the arena. */
struct span fold_text(struct span value, struct arena *arena);

/* Returns the text without SP, TAB, CR and LF, as LI-06 and RFC 2369 2 ask between angle brackets.
 * It is text itself if that has none, else it lives in the arena. */
struct span fold_without_space(struct span text, struct arena *arena);

#endif
