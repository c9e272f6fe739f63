/*
 * plan_print - a plan for people, for programs, and for the log
 */
#ifndef MLMILTER_PLAN_PLAN_PRINT_H
#define MLMILTER_PLAN_PLAN_PRINT_H

#include "plan/plan.h"
#include "plan/selection.h"
#include "text/strbuf.h"

const char *role_name(enum role role);

/* Print the decision, the edits and the notes: as JSON, an object a line (RULINGS 3, 4, 41), or as
 * lines for a person. */
void plan_print_json(struct strbuf *out, const struct facts *facts,
                     const struct selection *selection, const struct plan *plan);
void plan_print_text(struct strbuf *out, const struct facts *facts,
                     const struct selection *selection, const struct plan *plan);

/* The longest line of the log (RULINGS 87). */
#define PLAN_LOG_OCTETS 8192

/* Prints the log line of mlmilter(8) without the queue id, with as many notes as PLAN_LOG_OCTETS
 * have room for. Values are shown as by plan_print_word; notes stand in quotes, with their blanks.
 */
void plan_print_log(struct strbuf *out, const struct selection *selection, const struct plan *plan,
                    bool dry_run);

/* Appends a value as the log line shows it: at most 998 bytes, with %HH for blanks, '"', "%", and
 * what is not printable ASCII. */
void plan_print_word(struct strbuf *out, struct span value);

/* Appends the reply, "550 5.7.1 text", or nothing with ACTION_ACCEPT. */
void plan_print_reply(struct strbuf *out, const struct plan *plan);

#endif
