/*
 * plan_print - a plan for people, for programs, and for the log
 */
#ifndef MLMILTER_PLAN_PLAN_PRINT_H
#define MLMILTER_PLAN_PLAN_PRINT_H

#include "plan/plan.h"
#include "plan/selection.h"
#include "text/strbuf.h"

/* One JSON object per line (RULINGS 3, 4, 41): the decision, then the edits, then the notes. */
void plan_print_json(struct strbuf *out, const struct facts *facts,
                     const struct selection *selection, const struct plan *plan);

/* Prints the plan as lines for a person. */
void plan_print_text(struct strbuf *out, const struct facts *facts,
                     const struct selection *selection, const struct plan *plan);

/* What a line of the log has at most (RULINGS 87). */
#define PLAN_LOG_OCTETS 8192

/* The log line without the queue id (mlmilter(8)): "list=... role=... message-id=... hash=...
 * archived-at=... removed=N added=N sequence=N action=...". Octets other than printable ASCII, '"'
 * and "%" in a value are %HH, and so are blanks, but in notes, which stand in quotes. Of a value at
 * most 998 octets are shown, then "...". `dry_run` and notes, where there are any, follow at the
 * end: as many as fit into PLAN_LOG_OCTETS with what out holds already, then how many more. */
void plan_print_log(struct strbuf *out, const struct selection *selection, const struct plan *plan,
                    bool dry_run);

/* A value as that line has it. */
void plan_print_word(struct strbuf *out, struct span value);

/* The reply as SMTP has it, "550 5.7.1 text"; nothing with ACTION_ACCEPT. */
void plan_print_reply(struct strbuf *out, const struct plan *plan);

#endif
