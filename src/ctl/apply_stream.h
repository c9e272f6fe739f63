/*
 * apply_stream - a plan applied to the text of a message
 */
#ifndef MLMILTER_CTL_APPLY_STREAM_H
#define MLMILTER_CTL_APPLY_STREAM_H

#include "mail/message.h"
#include "plan/plan.h"
#include "text/strbuf.h"

/* Appends the message with the plan's edits, as an MTA makes them: deletions by number among the
 * fields of a name, insertions at the top. All else stays byte for byte; inserted lines end as the
 * first line of the message does (RULINGS 40). */
void apply_stream(const struct message *message, const struct plan *plan, struct strbuf *out);

/* Appends the lines of the header before and after, each after a mark: "+ " if inserted, "- " if
 * deleted, else "  ". A character that is not visible (text/visible.h) becomes "?". */
void apply_stream_marked(const struct message *message, const struct plan *plan,
                         struct strbuf *out);

#endif
